/** A copy of an object that shares its members. The members must be immutable, or be replaced in the copy. */
export function shallowCopy<T extends object>(object: T): T {
  return Object.assign(Object.create(Object.getPrototypeOf(object) as object) as T, object);
}
