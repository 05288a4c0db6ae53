import { Bank } from '../../src/bank/bank.js';

// `sim` with a bug: nobody can borrow against collateral.
Bank.prototype.collateralBorrow = () => ({ ok: false, refusal: { code: 'internal_error' } });
await import('../../src/cli/main.js');
