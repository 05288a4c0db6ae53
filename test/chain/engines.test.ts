import { conformance } from './engine.conformance.js';

conformance('bankrun', {
  missingProgram: 'ProgramAccountNotFound',
  transferToProgram: { InstructionError: [0, 'ExecutableLamportChange'] },
});
conformance('litesvm', { missingProgram: 'InvalidProgramForExecution', transferToProgram: null });
