import type { TransactionError } from '../engine.js';

// bankrun gives the Display text of Agave 1.18's TransactionError and InstructionError; a cluster gives their names.
const TRANSACTION_ERRORS: Readonly<Record<string, string>> = {
  'Account in use': 'AccountInUse',
  'Account loaded twice': 'AccountLoadedTwice',
  'Attempt to debit an account but found no record of a prior credit.': 'AccountNotFound',
  'Attempt to load a program that does not exist': 'ProgramAccountNotFound',
  'Insufficient funds for fee': 'InsufficientFundsForFee',
  'This account may not be used to pay transaction fees': 'InvalidAccountForFee',
  'This transaction has already been processed': 'AlreadyProcessed',
  'Blockhash not found': 'BlockhashNotFound',
  'Loader call chain is too deep': 'CallChainTooDeep',
  'Transaction requires a fee but has no signature present': 'MissingSignatureForFee',
  'Transaction contains an invalid account reference': 'InvalidAccountIndex',
  'Transaction did not pass signature verification': 'SignatureFailure',
  'This program may not be used for executing instructions': 'InvalidProgramForExecution',
  'Transaction failed to sanitize accounts offsets correctly': 'SanitizeFailure',
  'Transaction processing left an account with an outstanding borrowed reference': 'AccountBorrowOutstanding',
  'Transaction would exceed max Block Cost Limit': 'WouldExceedMaxBlockCostLimit',
  'Transaction version is unsupported': 'UnsupportedVersion',
  'Transaction loads a writable account that cannot be written': 'InvalidWritableAccount',
  'Transaction locked too many accounts': 'TooManyAccountLocks',
  "Transaction loads an address table account that doesn't exist": 'AddressLookupTableNotFound',
  'Transaction loads an address table account with an invalid owner': 'InvalidAddressLookupTableOwner',
  'Transaction loads an address table account with invalid data': 'InvalidAddressLookupTableData',
  'Transaction address table lookup uses an invalid index': 'InvalidAddressLookupTableIndex',
  'Transactions are currently disabled due to cluster maintenance': 'ClusterMaintenance',
  'Transaction would exceed max account limit within the block': 'WouldExceedMaxAccountCostLimit',
  'Transaction would exceed account data limit within the block': 'WouldExceedAccountDataBlockLimit',
  'Transaction would exceed max Vote Cost Limit': 'WouldExceedMaxVoteCostLimit',
  'Transaction would exceed total account data limit': 'WouldExceedAccountDataTotalLimit',
  'LoadedAccountsDataSizeLimit set for transaction must be greater than 0.':
    'InvalidLoadedAccountsDataSizeLimit',
  'Sum of account balances before and after transaction do not match': 'UnbalancedTransaction',
  'Transaction leaves an account with a lower balance than rent-exempt minimum': 'InvalidRentPayingAccount',
  'Transaction exceeded max loaded accounts data size cap': 'MaxLoadedAccountsDataSizeExceeded',
};

const INSTRUCTION_ERRORS: Readonly<Record<string, string>> = {
  'generic instruction error': 'GenericError',
  'invalid program argument': 'InvalidArgument',
  'invalid instruction data': 'InvalidInstructionData',
  'invalid account data for instruction': 'InvalidAccountData',
  'account data too small for instruction': 'AccountDataTooSmall',
  'insufficient funds for instruction': 'InsufficientFunds',
  'incorrect program id for instruction': 'IncorrectProgramId',
  'missing required signature for instruction': 'MissingRequiredSignature',
  'instruction requires an uninitialized account': 'AccountAlreadyInitialized',
  'instruction requires an initialized account': 'UninitializedAccount',
  'sum of account balances before and after instruction do not match': 'UnbalancedInstruction',
  'instruction illegally modified the program id of an account': 'ModifiedProgramId',
  'instruction spent from the balance of an account it does not own': 'ExternalAccountLamportSpend',
  'instruction modified data of an account it does not own': 'ExternalAccountDataModified',
  'instruction changed the balance of a read-only account': 'ReadonlyLamportChange',
  'instruction modified data of a read-only account': 'ReadonlyDataModified',
  'instruction contains duplicate accounts': 'DuplicateAccountIndex',
  'instruction changed executable bit of an account': 'ExecutableModified',
  'instruction modified rent epoch of an account': 'RentEpochModified',
  'insufficient account keys for instruction': 'NotEnoughAccountKeys',
  "program other than the account's owner changed the size of the account data": 'AccountDataSizeChanged',
  'instruction expected an executable account': 'AccountNotExecutable',
  'instruction tries to borrow reference for an account which is already borrowed': 'AccountBorrowFailed',
  'instruction left account with an outstanding borrowed reference': 'AccountBorrowOutstanding',
  'instruction modifications of multiply-passed account differ': 'DuplicateAccountOutOfSync',
  'program returned invalid error code': 'InvalidError',
  'instruction changed executable accounts data': 'ExecutableDataModified',
  'instruction changed the balance of an executable account': 'ExecutableLamportChange',
  'executable accounts must be rent exempt': 'ExecutableAccountNotRentExempt',
  'Unsupported program id': 'UnsupportedProgramId',
  'Cross-program invocation call depth too deep': 'CallDepth',
  'An account required by the instruction is missing': 'MissingAccount',
  'Cross-program invocation reentrancy not allowed for this instruction': 'ReentrancyNotAllowed',
  'Length of the seed is too long for address generation': 'MaxSeedLengthExceeded',
  'Provided seeds do not result in a valid address': 'InvalidSeeds',
  'Failed to reallocate account data': 'InvalidRealloc',
  'Computational budget exceeded': 'ComputationalBudgetExceeded',
  'Cross-program invocation with unauthorized signer or writable account': 'PrivilegeEscalation',
  'Failed to create program execution environment': 'ProgramEnvironmentSetupFailure',
  'Program failed to complete': 'ProgramFailedToComplete',
  'Program failed to compile': 'ProgramFailedToCompile',
  'Account is immutable': 'Immutable',
  'Incorrect authority provided': 'IncorrectAuthority',
  'An account does not have enough lamports to be rent-exempt': 'AccountNotRentExempt',
  'Invalid account owner': 'InvalidAccountOwner',
  'Program arithmetic overflowed': 'ArithmeticOverflow',
  'Unsupported sysvar': 'UnsupportedSysvar',
  'Provided owner is not allowed': 'IllegalOwner',
  'Accounts data allocations exceeded the maximum allowed per transaction':
    'MaxAccountsDataAllocationsExceeded',
  'Max accounts exceeded': 'MaxAccountsExceeded',
  'Max instruction trace length exceeded': 'MaxInstructionTraceLengthExceeded',
  'Builtin programs must consume compute units': 'BuiltinProgramsMustConsumeComputeUnits',
};

/** Turns bankrun's sentence into Solana's JSON error. An unknown sentence is kept as it is. */
export function bankrunError(sentence: string): TransactionError {
  const inInstruction = /^Error processing Instruction (\d+): (.*)$/s.exec(sentence);
  if (inInstruction !== null) {
    const [, index, cause = ''] = inInstruction;
    const custom = /^custom program error: 0x([0-9a-f]+)$/.exec(cause);
    if (custom !== null)
      return { InstructionError: [Number(index), { Custom: Number.parseInt(custom[1] as string, 16) }] };
    const borsh = /^Failed to serialize or deserialize account data: (.*)$/s.exec(cause);
    if (borsh !== null) return { InstructionError: [Number(index), { BorshIoError: borsh[1] }] };
    return { InstructionError: [Number(index), INSTRUCTION_ERRORS[cause] ?? cause] };
  }
  const rent = /^Transaction results in an account \((\d+)\) with insufficient funds for rent$/.exec(
    sentence,
  );
  if (rent !== null) return { InsufficientFundsForRent: { account_index: Number(rent[1]) } };
  const duplicate = /^Transaction contains a duplicate instruction \((\d+)\)/.exec(sentence);
  if (duplicate !== null) return { DuplicateInstruction: Number(duplicate[1]) };
  return TRANSACTION_ERRORS[sentence] ?? sentence;
}
