import type { Answer, ApiCall, FuzzTarget, FuzzWorld } from '../../../src/testing/fuzz-library.js';
import { inProcessFuzz } from '../../../src/testing/drivers/in-process-fuzz.js';
import type { Target } from '../../../src/testing/scenario/target.js';
import { inProcessWith } from '../scenario/played.js';

/** Changes the JSON text of answers. */
export type Lie = (text: string) => string;

/** A world with some of its methods replaced. */
export function withMethods(world: FuzzWorld, replaced: Partial<FuzzWorld>): FuzzWorld {
  const methods = replaced as Readonly<Record<PropertyKey, unknown>>;
  return new Proxy(world, {
    get: (target, name) => {
      if (Object.hasOwn(methods, name)) return methods[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The fuzzer's world with some of its methods replaced. */
export function fuzzedWith(replaced: (world: FuzzWorld) => Partial<FuzzWorld>): FuzzTarget {
  return {
    madeWallet: inProcessFuzz.madeWallet,
    open: async (options) => {
      const world = await inProcessFuzz.open(options);
      return withMethods(world, replaced(world));
    },
  };
}

/** The fuzzer's world with other answers; each world has a change of its own. An answer that is lost stays so. */
export function answeringFuzzed(
  changeOf: () => (answer: Answer, asked: ApiCall) => Answer | null,
): FuzzTarget {
  return fuzzedWith((world) => {
    const change = changeOf();
    return {
      call: async (asked, mishap) => {
        const answer = await world.call(asked, mishap);
        return answer === null ? null : change(answer, asked);
      },
    };
  });
}

/** The fuzzer's world with answers that are not right. */
export function lyingFuzzed(lie: Lie): FuzzTarget {
  return answeringFuzzed(() => (answer) => JSON.parse(lie(JSON.stringify(answer))) as Answer);
}

/** A scenario's world with the same. */
export function lyingInProcess(lie: Lie): Target {
  return inProcessWith(({ fetch }) => ({
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      const told = lie(JSON.stringify({ status: answer.status, body: await answer.json() }));
      const { status, body } = JSON.parse(told) as { status: number; body: unknown };
      return Response.json(body, { status });
    },
  }));
}
