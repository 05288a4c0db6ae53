export type DataFault =
  | 'not_a_data_folder'
  | 'data_damaged'
  | 'data_of_another_version'
  | 'data_in_use'
  | 'data_of_another_world'
  | 'data_unreachable';

/** A data folder that cannot be used; the message says why and what to do. Nothing in the folder was changed. */
export class DataError extends Error {
  override readonly name = 'DataError';

  constructor(
    readonly code: DataFault,
    message: string,
  ) {
    super(message);
  }
}
