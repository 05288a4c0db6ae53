import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SELF = join('test', 'repository', 'vocabulary.test.ts');

/** Names that were replaced by a word of the glossary (CONTRIBUTING.md) or of the field. */
const RETIRED = new RegExp(
  String.raw`(?<![\w.'-])(?:${[
    'Course|LocalGround|GroundMark|Doors|FacilitatorDoor|DirectDoor|AskedDirectly|AskedByHttp|Interfaces',
    'Moments|WorldMark|Purse|PaymentNotes|MemoryNotes|BooksFace|ChainFace|FaultFace|OracleFace|ReviewFace|RecordingFace',
    'beginningOfWorld|WorldBeginning|lasting|durably|tellEvents|PortableWorld|CallTape|RpcTape|ControlTape|TapeSlot',
    'HeardCall|HeardRpc|HeardCommand|ServiceAnswer|RequestUnderWay|undergo|UNASKED|SubmitTrouble|ConfirmTrouble',
    'Fates|FatesMark|ChainView|Unproved|keptBlockhash|layOut|fillIn|BankChain|LocalBankChain|onceThere|SignatureJudge|BY_KEYS',
    'OwnTransaction|UNTRIED|ranUntold|ChainWatch|LateTransfers|BankFeed|Expiring|changesBetween|worldOn|ToldWorld',
    'CallTaking|CallDesk|Bearers|StandIns|rehearse|Rehearsal|Cast|CannotSay|Dice|Judges|Standing|Diary|Layers',
    'Inhabitant|enlist|lackFor|FUZZED|SERVED|AGENT_WORLDS|remotely|saveIn|saveOut',
  ].join('|')})\b`,
);

/** Words that test names do not use: a plain term says more, such as reports, injects, verifies, snapshot, instant or requested. */
const RETIRED_IN_TITLES =
  /\b(?:told|tells?|struck|strikes?|judge[sd]?|somebody|nobody|(?<!byte order )marks?|moments?|hears?|asked|had|kept|something|whatever|should|correctly)\b/i;

/** The title of a test or suite, also behind a table of `each`. */
const TITLE = /^\s*(?:(?:describe|it|test)\b.*?\(|\](?: as const)?\)\()\s*(['"`])((?:\\.|(?!\1).)*)\1,/gm;

function files(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => join(folder, name))
    .filter((path) => path !== SELF);
}

it('code contains no retired name', () => {
  const found = ['src', 'bench', 'planted', 'scripts', 'test'].flatMap((folder) =>
    files(folder).flatMap((path) =>
      readFileSync(join(ROOT, path), 'utf8')
        .split('\n')
        .flatMap((line, at) => {
          const name = RETIRED.exec(line.replace(/^\s*(?:\/\/|\/?\*).*|\/\*.*?\*\//, ''))?.[0];
          return name === undefined ? [] : [`${path}:${at + 1} ${name}`];
        }),
    ),
  );
  expect(found).toEqual([]);
});

it('test names contain no retired word', () => {
  const titles = files('test').flatMap((path) =>
    [...readFileSync(join(ROOT, path), 'utf8').matchAll(TITLE)].map(([, , title = '']) => ({
      path,
      title,
    })),
  );
  expect(titles.length).toBeGreaterThan(1_700);
  expect(titles.filter(({ title }) => RETIRED_IN_TITLES.test(title))).toEqual([]);
});
