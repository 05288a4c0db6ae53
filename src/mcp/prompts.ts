import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';

interface PromptText {
  readonly definition: Prompt;
  text(args: Readonly<Record<string, string>>): string;
}

const ALL: readonly PromptText[] = [
  {
    definition: {
      name: 'test_my_agent',
      title: 'Test my agent',
      description:
        'Plan and run a test of an agent that banks here: a month, lost responses, refusals, limits',
      arguments: [
        { name: 'agent', description: 'what the agent does, or the command that starts it', required: true },
      ],
    },
    text: ({ agent = 'my agent' }) =>
      `Test this agent against the simulated bank: ${agent}

Use the world tools (world_…), which need a server started with --world. Work in this order:
1. world_snapshot, so that every test starts from the same world.
2. Fund the agent's wallet (world_deposit) and let the agent do its work once. Check account and transactions.
3. world_revert, then lose responses: world_add_fault with effect "lose-response" for each call that moves money. Nothing may be paid twice.
4. world_revert, then refusals: amounts above the balance, and above the daily limit. For each, read the explanation (world_explain with the request_id).
5. world_revert, then time: world_advance by 30d. The agent must handle yield, due loans and expired tokens.
6. After each step world_invariants must be an empty list; a violation is a bug in the simulator.
Report each behaviour that loses money, pays twice, or loses track of money, with the calls that led to it.`,
  },
  {
    definition: {
      name: 'why_was_this_refused',
      title: 'Why was this refused',
      description: 'Explain why the bank refused a call and what to do about it',
      arguments: [
        { name: 'request_id', description: 'the request_id of the tool error', required: false },
        { name: 'code', description: 'the code of the tool error', required: false },
      ],
    },
    text: ({ request_id: id, code }) =>
      `The bank refused a call${code === undefined ? '' : ` with ${code}`}${id === undefined ? '' : ` (request ${id})`}.
Read the explanation in the tool error${id === undefined ? '' : ` or call world_explain with id ${id} if that tool is available`}, the rule of its code in the resource sim://error-codes, and the account. State in plain words which rule refused it, with the figures, and which call would succeed now.`,
  },
];

/** The prompts as `prompts/list` describes them. */
export const PROMPTS: Prompt[] = ALL.map(({ definition }) => definition);

/** A prompt by name, filled in; null for an unknown name or a missing argument. */
export function promptOf(name: string, args: Readonly<Record<string, string>>): GetPromptResult | null {
  const prompt = ALL.find(({ definition }) => definition.name === name);
  if (prompt === undefined) return null;
  const { arguments: known = [], description } = prompt.definition;
  if (known.some(({ name: each, required }) => required === true && args[each] === undefined)) return null;
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: 'user', content: { type: 'text', text: prompt.text(args) } }],
  };
}
