import { useState } from 'preact/hooks';
import { OPERATIONS, PHASES_OF } from '../../api/control/names.js';
import { Button, CommandButton, Form, Input, Select } from '../components/controls.js';
import { Id } from '../components/values.js';
import { Head, Panel, Read } from '../components/panel.js';
import { type Column, Table } from '../components/table.js';
import type { Answer, Ask } from '../control/client.js';
import { session } from '../session.js';
import { useCommand } from '../use-command.js';

type Rule = Answer<'faults'>['faults'][number];
type Given = NonNullable<Ask<'addFault'>['body']>;
type Effect = Given['effect'];

const EFFECTS = Object.keys(PHASES_OF) as Effect[];

const isActive = ({ id }: { readonly id: string }) => `${id} is active.`;

const PRESETS: readonly (readonly [name: string, text: string, rule: Given])[] = [
  [
    'Lose a response',
    'the next payment is carried out, and its response is lost',
    { endpoint: 'x402Pay', effect: 'lose-response', when: { nth: 1 } },
  ],
  [
    'Too many requests',
    'every tenth call returns 429',
    { endpoint: '*', effect: 'replace-response', status: 429, retryAfter: 5, when: { every: 10 } },
  ],
  [
    'Flaky service',
    'one call in five ends without a response',
    { endpoint: '*', effect: 'drop-connection', when: { probability: 0.2 } },
  ],
  ['Slow service', 'each call takes two seconds', { endpoint: '*', effect: 'delay', delay: '2s' }],
  [
    'Chain unreachable',
    'withdrawals cannot reach the chain',
    { endpoint: 'withdraw', effect: 'chain-unavailable' },
  ],
  [
    'Lost transaction',
    'the next transaction sent to the RPC is dropped',
    { rpc: 'sendTransaction', effect: 'drop-transaction', when: { times: 1 } },
  ],
];

/** The conditions of a rule in words; a wallet is shown on its own. */
const CONDITIONS: Readonly<Record<string, string>> = {
  nth: 'Only call number',
  every: 'Every',
  probability: 'Probability',
  times: 'At most',
};

function conditionText({ when = {} }: Rule): string {
  const { wallet: _, ...conditions } = when;
  return Object.entries(conditions)
    .map(([name, value]) => `${(CONDITIONS[name] ?? name).toLowerCase()} ${value}`)
    .join(', ');
}

function effectText({ effect, status, code, delay, retryAfter }: Rule): string {
  const more = [status, code, delay, retryAfter === undefined ? undefined : `retry after ${retryAfter} s`];
  return [effect, ...more.filter((part) => part !== undefined)].join(' ');
}

const COLUMNS: readonly Column<Rule>[] = [
  ['Fault', ({ id }) => <span class="mono">{id}</span>],
  ['Calls', ({ endpoint, rpc }) => (rpc === undefined ? endpoint : `RPC ${rpc}`)],
  ['Effect', effectText],
  ['Phase', ({ phase }) => phase],
  ['When', (rule) => conditionText(rule) || <span class="quiet">each call</span>],
  ['Wallet', ({ when }) => <Id id={when?.wallet ?? null} to="agents" />],
  ['Matched', ({ matched }) => matched, 'number'],
  ['Fired', ({ fired }) => (fired === 0 ? fired : <b class="warn">{fired}</b>), 'number'],
  [
    'Actions',
    ({ id }) => (
      <span class="actions">
        <CommandButton
          name="Remove"
          label={`Remove ${id}`}
          command="clearFault"
          ask={{ id }}
          done={`${id} is removed.`}
        />
      </span>
    ),
  ],
];

/** A rule from the fields of the form: some are conditions. */
function ruleOf({ target, ...values }: { readonly target: string }): Given {
  const fields = Object.entries(values);
  const isCondition = ([name]: readonly [string, unknown]) => name === 'wallet' || name in CONDITIONS;
  const when = fields.filter(isCondition);
  return {
    ...(target.startsWith('rpc:') ? { rpc: target.slice('rpc:'.length) } : { endpoint: target }),
    ...Object.fromEntries(fields.filter((field) => !isCondition(field))),
    ...(when.length === 0 ? {} : { when: Object.fromEntries(when) }),
  } as Given;
}

const TARGETS = [
  ['*', 'All API calls'],
  ...OPERATIONS.map((name) => [name, name] as const),
  ['rpc:sendTransaction', 'RPC sendTransaction'],
  ['rpc:*', 'All RPC calls'],
] as const;

function AddFault() {
  const [effect, setEffect] = useState<Effect>('replace-response');
  const isDelay = effect === 'delay' || effect === 'delay-transaction';
  return (
    <Panel title="Add a fault">
      <Form
        class="columns many"
        label="Add a fault"
        onSubmit={(values: { target: string }) => session.run('addFault', { body: ruleOf(values) }, isActive)}
      >
        <Select label="Calls" name="target" options={TARGETS} />
        <Select
          label="Effect"
          name="effect"
          options={EFFECTS}
          value={effect}
          onChange={(chosen) => setEffect(chosen as Effect)}
        />
        <Select key={effect} label="Phase" name="phase" options={PHASES_OF[effect]} />
        {effect === 'replace-response' ? (
          <>
            <Input label="Status" name="status" type="number" placeholder="500" />
            <Input label="Code" name="code" placeholder="internal_error" />
            <Input label="Message" name="message" />
            <Input label="Retry after (s)" name="retryAfter" type="number" />
          </>
        ) : null}
        {isDelay ? <Input label="Delay" name="delay" value="5s" isRequired /> : null}
        {Object.entries(CONDITIONS).map(([name, label]) => (
          <Input
            key={name}
            label={label}
            name={name}
            type="number"
            placeholder={name === 'probability' ? '0 to 1' : ''}
          />
        ))}
        <Input label="Wallet" name="wallet" />
        <Button name="Add fault" class="primary" />
      </Form>
    </Panel>
  );
}

export function Faults() {
  const reading = useCommand('faults');
  return (
    <>
      <Head title="Faults">
        <CommandButton
          name="Remove all"
          title="Remove all faults?"
          submit="Remove"
          isDisabled={reading.data?.faults.length === 0}
          command="clearFaults"
          done="All faults are removed."
        >
          <p>Calls then run without faults.</p>
        </CommandButton>
      </Head>
      <Panel title="Rules">
        <Read of={reading}>
          {({ faults }) => (
            <Table
              label="Faults"
              columns={COLUMNS}
              rows={faults}
              keyOf={({ id }) => id}
              empty="No faults. Add a fault to see how an agent handles it."
            />
          )}
        </Read>
      </Panel>
      <Panel title="Presets">
        <ul class="columns">
          {PRESETS.map(([name, text, rule]) => (
            <li key={name} class="actions">
              <CommandButton name={name} command="addFault" ask={{ body: rule }} done={isActive} />
              <span class="quiet">{text}</span>
            </li>
          ))}
        </ul>
      </Panel>
      <AddFault />
    </>
  );
}
