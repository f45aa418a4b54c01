/**
 * Functions of a module that is loaded when one of them is first called. In a bundle its code is a chunk of its own,
 * which a container that never calls them does not read (decisions 0011 and 0074).
 */
type AsyncFunction = (...given: never[]) => Promise<unknown>;

/** The named functions of the module that `load` imports. */
export function later<Module, const Names extends readonly (keyof Module)[]>(
  load: () => Promise<Module>,
  ...names: Names
) {
  type Functions = { readonly [At in keyof Names]: Module[Names[At]] & AsyncFunction };
  const functions = names.map(
    (name): AsyncFunction =>
      async (...given) => {
        const module = await load();
        return Reflect.apply(module[name] as AsyncFunction, undefined, given);
      },
  );
  return functions as readonly AsyncFunction[] as Functions;
}
