import { useState } from 'preact/hooks';
import { DialogButton, Form, Input, Select } from '../components/form.js';
import { Id } from '../components/ids.js';
import { Head, Panel } from '../components/panel.js';
import { Read } from '../components/states.js';
import { type Column, Table } from '../components/table.js';
import type { Answer, Ask } from '../control/client.js';
import { useSession } from '../session.js';
import { COPIED_OPERATIONS } from '../text/copies.js';
import { useCommand } from '../use-command.js';

type Rule = Answer<'faults'>['faults'][number];
type Given = NonNullable<Ask<'addFault'>['body']>;
type Effect = Given['effect'];

const PHASES: Readonly<Record<Effect, readonly NonNullable<Given['phase']>[]>> = {
  answer: ['before', 'after-commit'],
  delay: ['before', 'after-commit'],
  'drop-connection': ['before'],
  'lose-answer': ['after-commit'],
  'drop-transaction': ['chain-submit'],
  'delay-transaction': ['chain-submit', 'chain-confirm'],
  'expire-blockhash': ['chain-submit'],
  'chain-unavailable': ['chain-submit', 'chain-confirm'],
  'oracle-outage': ['before'],
};
const EFFECTS = Object.keys(PHASES) as Effect[];

const PRESETS: readonly (readonly [name: string, text: string, rule: Given])[] = [
  [
    'Lose an answer',
    'the next payment is carried out, and its answer lost',
    { endpoint: 'x402Pay', effect: 'lose-answer', when: { nth: 1 } },
  ],
  [
    'Too many requests',
    'every tenth call is answered with 429',
    { endpoint: '*', effect: 'answer', status: 429, retryAfter: 5, when: { every: 10 } },
  ],
  [
    'Flaky service',
    'one call in five ends without an answer',
    { endpoint: '*', effect: 'drop-connection', when: { probability: 0.2 } },
  ],
  ['Slow service', 'each call takes two seconds', { endpoint: '*', effect: 'delay', delay: '2s' }],
  ['Chain unreachable', 'withdrawals find no chain', { endpoint: 'withdraw', effect: 'chain-unavailable' }],
  [
    'Lost transaction',
    'the next transaction sent to the RPC is dropped',
    { rpc: 'sendTransaction', effect: 'drop-transaction', when: { times: 1 } },
  ],
];

function conditionText({ when = {} }: Rule): string {
  const { nth, every, probability, from, until, times } = when;
  return [
    nth === undefined ? null : `number ${nth}`,
    every === undefined ? null : `every ${every}`,
    probability === undefined ? null : `with ${probability * 100} %`,
    times === undefined ? null : `at most ${times} times`,
    from === undefined ? null : `from ${from}`,
    until === undefined ? null : `until ${until}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

function effectText({ effect, status, code, delay, retryAfter }: Rule): string {
  const more = [status, code, delay, retryAfter === undefined ? undefined : `retry after ${retryAfter} s`];
  return [effect, ...more.filter((part) => part !== undefined)].join(' ');
}

function useColumns(): readonly Column<Rule>[] {
  const session = useSession();
  return [
    { name: 'Fault', cell: ({ id }) => <span class="mono">{id}</span> },
    { name: 'Calls', cell: ({ endpoint, rpc }) => (rpc === undefined ? endpoint : `RPC ${rpc}`) },
    { name: 'Effect', cell: effectText },
    { name: 'Phase', cell: ({ phase }) => phase },
    { name: 'When', cell: (rule) => conditionText(rule) || <span class="quiet">each call</span> },
    {
      name: 'Wallet',
      cell: ({ when }) => (when?.wallet === undefined ? null : <Id id={when.wallet} to="agents" />),
    },
    { name: 'Met', isNumber: true, cell: ({ met }) => met },
    {
      name: 'Applied',
      isNumber: true,
      cell: ({ struck }) => (struck === 0 ? struck : <b class="warn-text">{struck}</b>),
    },
    {
      name: 'Actions',
      cell: ({ id }) => (
        <span class="actions">
          <button
            type="button"
            aria-label={`Remove ${id}`}
            onClick={() =>
              void session.act(() => session.control.do('clearFault', { id }), `${id} is removed.`)
            }
          >
            Remove
          </button>
        </span>
      ),
    },
  ];
}

/** Numbers and texts of a form that were given. */
function given(values: Readonly<Record<string, string>>, names: readonly string[], isNumber: boolean) {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = values[name] ?? '';
      return value === '' ? [] : [[name, isNumber ? Number(value) : value]];
    }),
  );
}

function ruleOf(values: Readonly<Record<string, string>>): Given {
  const target = values['target'] ?? '*';
  const rpc = /^rpc:(.*)$/.exec(target)?.[1];
  const when = {
    ...given(values, ['nth', 'every', 'probability', 'times'], true),
    ...given(values, ['wallet', 'from', 'until'], false),
  };
  return {
    ...(rpc === undefined ? { endpoint: target } : { rpc }),
    effect: values['effect'] as Effect,
    ...given(values, ['phase', 'code', 'message', 'delay'], false),
    ...given(values, ['status', 'retryAfter'], true),
    ...(Object.keys(when).length === 0 ? {} : { when }),
  };
}

const TARGETS = [
  ['*', 'All API calls'],
  ...Object.keys(COPIED_OPERATIONS).map((name) => [name, name] as const),
  ['rpc:sendTransaction', 'RPC sendTransaction'],
  ['rpc:*', 'All RPC calls'],
] as const;

function AddFault() {
  const session = useSession();
  const [effect, setEffect] = useState<Effect>('answer');
  const isDelay = effect === 'delay' || effect === 'delay-transaction';
  return (
    <Panel title="Add a fault">
      <Form
        class="form grid panel-body"
        label="Add a fault"
        onSubmit={(values) =>
          void session.act(
            () => session.control.do('addFault', { body: ruleOf({ ...values, effect }) }),
            ({ id }) => `${id} is active.`,
          )
        }
      >
        <Select label="Calls" name="target" options={TARGETS} />
        <div class="field">
          <label for="effect">Effect</label>
          <select
            id="effect"
            value={effect}
            onChange={({ currentTarget }) => setEffect(currentTarget.value as Effect)}
          >
            {EFFECTS.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </div>
        <Select key={effect} label="Phase" name="phase" options={PHASES[effect]} />
        {effect === 'answer' ? (
          <>
            <Input label="Status" name="status" type="number" placeholder="500" />
            <Input label="Code" name="code" placeholder="internal_error" />
            <Input label="Message" name="message" />
            <Input label="Retry after (s)" name="retryAfter" type="number" />
          </>
        ) : null}
        {isDelay ? <Input label="Delay" name="delay" value="5s" isRequired /> : null}
        <Input label="Only call number" name="nth" type="number" />
        <Input label="Every" name="every" type="number" />
        <Input label="Probability" name="probability" type="number" placeholder="0 to 1" />
        <Input label="At most" name="times" type="number" />
        <Input label="Wallet" name="wallet" />
        <button type="submit" class="primary">
          Add fault
        </button>
      </Form>
    </Panel>
  );
}

/** Rules that make calls go wrong on purpose. */
export function Faults() {
  const session = useSession();
  const reading = useCommand('faults');
  const columns = useColumns();
  const { control } = session;
  return (
    <>
      <Head title="Faults">
        <DialogButton
          name="Remove all"
          title="Remove all faults?"
          submit="Remove"
          isDisabled={reading.data?.faults.length === 0}
          onSubmit={() =>
            void session.act(() => control.do('clearFaults', { body: {} }), 'No fault is left.')
          }
        >
          <p>All calls go right again.</p>
        </DialogButton>
      </Head>
      <Panel title="Rules">
        <Read of={reading}>
          {({ faults }) => (
            <Table
              label="Faults"
              columns={columns}
              rows={faults}
              keyOf={({ id }) => id}
              empty="Nothing goes wrong on purpose. Add a fault to see how an agent takes it."
            />
          )}
        </Read>
      </Panel>
      <Panel title="Presets">
        <ul class="presets">
          {PRESETS.map(([name, text, rule]) => (
            <li key={name}>
              <button
                type="button"
                onClick={() =>
                  void session.act(
                    () => control.do('addFault', { body: rule }),
                    ({ id }) => `${id} is active.`,
                  )
                }
              >
                {name}
              </button>
              <span class="quiet">{text}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <AddFault />
    </>
  );
}
