/**
 * Functions of a module that is loaded when one of them is first called. In a bundle its code is a chunk of its own,
 * which a container that never calls them does not read (decisions 0011 and 0074).
 */
type AsyncFunction = (...given: never[]) => Promise<unknown>;

/**
 * Imports a module once. Each `import()` of a loaded module resolves its name again, which takes longer than many of
 * the functions that are called. After a failure, the next call tries again.
 */
export function loadedOnce<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Module | undefined;
  return async () => {
    loaded ??= await load();
    return loaded;
  };
}

/** The named functions of the module that `load` imports, by name. */
export function later<Module, const Name extends keyof Module & string>(
  load: () => Promise<Module>,
  ...names: readonly Name[]
): { readonly [N in Name]: Module[N] & AsyncFunction } {
  const once = loadedOnce(load);
  const functions = names.map((name): [Name, AsyncFunction] => [
    name,
    async (...given) => Reflect.apply((await once())[name] as AsyncFunction, undefined, given),
  ]);
  return Object.fromEntries(functions) as { readonly [N in Name]: Module[N] & AsyncFunction };
}
