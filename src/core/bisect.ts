/** The number of the first element below `end` for which `holds` is true, by bisection; `end` when it is never true. `holds` stays true once it is. */
export function firstWhere(end: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
