import { BankrunEngine } from '../../src/chain/engines/bankrun.js';
import { LiteSvmEngine } from '../../src/chain/engines/litesvm.js';
import { conformance } from './engine.conformance.js';

conformance('bankrun', () => BankrunEngine.start(), { missingProgram: 'ProgramAccountNotFound' });
conformance('litesvm', async () => new LiteSvmEngine(), { missingProgram: 'InvalidProgramForExecution' });
