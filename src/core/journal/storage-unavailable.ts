/** Thrown when the journal could not append an entry: nothing was written, and the state is unchanged. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
