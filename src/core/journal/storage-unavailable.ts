/** The journal could not take an entry: nothing was written, the state is as it was. */
export class StorageUnavailable extends Error {}
