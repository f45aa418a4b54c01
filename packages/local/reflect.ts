/**
 * The few functions of the metadata proposal (tc39/proposal-decorator-metadata, its first form) that `tsyringe`, the
 * container inside `@peculiar/x509`, asks of the global `Reflect`. Import it before that package. It leaves an
 * implementation that is there already alone.
 */
const store = new WeakMap<object, Map<unknown, unknown>>();

const own = (key: unknown, target: object): unknown => store.get(target)?.get(key);

const define = (key: unknown, value: unknown, target: object): void => {
  const entries = store.get(target) ?? new Map<unknown, unknown>();
  store.set(target, entries.set(key, value));
};

const inherited = (key: unknown, target: object): unknown => {
  for (let at: object | null = target; at; at = Object.getPrototypeOf(at)) {
    if (store.get(at)?.has(key)) return own(key, at);
  }
  return undefined;
};

if (!("getMetadata" in Reflect)) {
  Object.assign(Reflect, {
    getOwnMetadata: own,
    getMetadata: inherited,
    defineMetadata: define,
    // Only metadata of classes is kept: nothing asks for that of their members.
    metadata: (key: unknown, value: unknown) => (target: object, member?: PropertyKey) => {
      if (member === undefined) define(key, value, target);
    },
  });
}

export {};
