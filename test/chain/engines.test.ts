import { BankrunEngine } from '../../src/chain/engines/bankrun.js';
import { LiteSvmEngine } from '../../src/chain/engines/litesvm.js';
import { conformance } from './engine.conformance.js';

conformance('bankrun', () => BankrunEngine.start(), {
  missingProgram: 'ProgramAccountNotFound',
  transferToProgram: { InstructionError: [0, 'ExecutableLamportChange'] },
});
conformance('litesvm', async () => new LiteSvmEngine(), {
  missingProgram: 'InvalidProgramForExecution',
  transferToProgram: null,
});
