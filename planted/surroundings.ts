import type { PlantedBug } from './bug.js';

/** Bugs of what stands around the bank: the operator's interface and rates. */
export const SURROUNDINGS: readonly PlantedBug[] = [
  {
    name: 'a jump of the clock does not tell of a default',
    file: 'runtime/due-runner.ts',
    from: "  'loan.defaulted': 'loan.defaulted',\n",
    to: '',
  },
  {
    name: 'a payment request may have any id',
    file: 'core/domain/payment-request.ts',
    from: '    text(request.request_id) &&\n',
    to: '',
  },
  {
    name: 'a wrong signature is refused without saying what is expected',
    file: 'bank/auth.ts',
    from: "        expected: 'Base58 of the ed25519 signature over the UTF-8 bytes of the challenge',\n",
    to: '',
  },
  {
    name: 'savings count as moved although their transfer failed',
    file: 'bank/settlement.ts',
    from: "      if (outcome.kind === 'failed') continue;\n",
    to: '',
  },
];
