/**
 * Zod with schemas that are built on first use (decision 0074). Import it as `z`, in place of `zod`: it has the same
 * functions and types, those that this project uses.
 *
 * The contracts declare some 2,000 schemas, and building one costs about 20 µs in a container that starts. So a call of
 * a function here, and of a method that returns another schema, is only recorded. Access to anything else, such as
 * `safeParse`, builds the schema with all that it is made of, once. What is built contains built schemas only: then
 * parsing is zod's own.
 */
import * as zod from "zod";

export type * from "zod";

/** A schema that was declared. */
interface Declared {
  readonly build: () => zod.ZodType;
  schema?: zod.ZodType;
  /** The members of an object, as they were given. */
  readonly members: object | undefined;
}

/** Methods that return a schema and read nothing of this one. */
const recordedMethods: ReadonlySet<PropertyKey> = new Set([
  ...["optional", "nullable", "default", "prefault", "readonly", "array"],
  ...["refine", "superRefine", "overwrite", "transform", "pipe", "describe", "meta"],
  ...["min", "max", "length", "regex", "startsWith", "endsWith", "trim", "toLowerCase"],
  ...["strict", "loose", "catchall", "extend", "omit", "pick", "partial"],
]);

/** Those after which an object has the same members. */
const keepsMembers: ReadonlySet<PropertyKey> = new Set(["refine", "superRefine", "describe", "meta"]);

/** By the object that stands for the schema, and by the target of that proxy. */
const declarations = new WeakMap<object, Declared>();

/** Declared schemas by the `id` of their metadata: zod knows those only that are built. */
const byId = new Map<string, zod.ZodType>();

/** The schema whose metadata has an `id`. */
export function schemaById(id: string): zod.ZodType | undefined {
  return built(byId.get(id));
}

/** The metadata of a schema. */
export function metadataOf(schema: zod.core.$ZodType): zod.core.GlobalMeta | undefined {
  return zod.globalRegistry.get(built(schema));
}

/** The schema itself, in place of what stands for it: for code that compares schemas or registers them. */
export function built<S>(schema: S): S {
  const declared = declaredOf(schema);
  return declared ? (schemaOf(declared) as S) : schema;
}

function declare(build: () => zod.ZodType, members?: object): zod.ZodType {
  const declared: Declared = { build, members };
  const target: zod.ZodType = Object.create(null);
  const schema = new Proxy(target, handler);
  declarations.set(target, declared).set(schema, declared);
  return schema;
}

function declaredOf(value: unknown): Declared | undefined {
  return typeof value === "object" && value !== null ? declarations.get(value) : undefined;
}

function schemaOf(declared: Declared): zod.ZodType {
  declared.schema ??= declared.build();
  return declared.schema;
}

function targetSchema(target: zod.ZodType): zod.ZodType {
  return built(target);
}

/** Built schemas in place of declared ones: the argument itself, the elements of a list, the members of an object. */
function builtArgument(argument: unknown): unknown {
  const isDeclared = (value: unknown) => declaredOf(value) !== undefined;
  if (Array.isArray(argument))
    return argument.some(isDeclared) ? argument.map((each) => built<unknown>(each)) : argument;
  if (typeof argument !== "object" || argument === null || isDeclared(argument)) return built(argument);
  const members = Object.entries(Object.getOwnPropertyDescriptors(argument));
  if (!members.some(([, { get, value }]) => get !== undefined || isDeclared(value))) return argument;
  const copies = members.map(([name, { get, value }]): [string, PropertyDescriptor] => {
    // A shape that contains itself says so with a getter, which is read when the shape is complete.
    const own = get
      ? { get: () => built<unknown>(Reflect.apply(get, argument, [])) }
      : { value: built<unknown>(value) };
    return [name, { ...own, enumerable: true }];
  });
  return Object.defineProperties({}, Object.fromEntries(copies));
}

const handler: ProxyHandler<zod.ZodType> = {
  get(target, key) {
    const declared = declaredOf(target);
    if (declared && !declared.schema) {
      if (key === "shape" && declared.members) return declared.members;
      if (recordedMethods.has(key)) return recordedMethod(declared, key);
    }
    const schema = targetSchema(target);
    const value: unknown = Reflect.get(schema, key, schema);
    return typeof value === "function" ? value.bind(schema) : value;
  },
  has: (target, key) => Reflect.has(targetSchema(target), key),
  getPrototypeOf: (target) => Reflect.getPrototypeOf(targetSchema(target)),
};

function recordedMethod(declared: Declared, key: PropertyKey) {
  const call = (given: readonly unknown[]): unknown => {
    const schema = schemaOf(declared);
    return Reflect.apply(Reflect.get(schema, key), schema, given.map(builtArgument));
  };
  return (...given: readonly unknown[]) => {
    // Without an argument it returns what was registered.
    if (key === "meta" && given.length === 0) return call(given);
    const made = declare(() => call(given) as zod.ZodType, keepsMembers.has(key) ? declared.members : undefined);
    const [metadata] = key === "meta" ? (given as readonly zod.core.GlobalMeta[]) : [];
    if (metadata?.id !== undefined) byId.set(metadata.id, made);
    return made;
  };
}

type Make = (...given: never[]) => zod.ZodType;

function recorded<F extends Make>(make: F): F {
  const call: Make = (...given) => declare(() => Reflect.apply(make, undefined, given.map(builtArgument)));
  return call as F;
}

/** The same for an object, whose first argument are its members. */
function recordedObject<F extends Make>(make: F): F {
  const call: Make = (...given) => declare(() => Reflect.apply(make, undefined, given.map(builtArgument)), given[0]);
  return call as F;
}

export const string = /* @__PURE__ */ recorded(zod.string);
export const boolean = /* @__PURE__ */ recorded(zod.boolean);
export const int = /* @__PURE__ */ recorded(zod.int);
export const unknown = /* @__PURE__ */ recorded(zod.unknown);
export const url = /* @__PURE__ */ recorded(zod.url);
export const base64 = /* @__PURE__ */ recorded(zod.base64);
export const literal = /* @__PURE__ */ recorded(zod.literal);
export const custom = /* @__PURE__ */ recorded(zod.custom);
export const array = /* @__PURE__ */ recorded(zod.array);
export const union = /* @__PURE__ */ recorded(zod.union);
export const record = /* @__PURE__ */ recorded(zod.record);
export const preprocess = /* @__PURE__ */ recorded(zod.preprocess);
export const object = /* @__PURE__ */ recordedObject(zod.object);
export const strictObject = /* @__PURE__ */ recordedObject(zod.strictObject);
export const looseObject = /* @__PURE__ */ recordedObject(zod.looseObject);
const enumeration = /* @__PURE__ */ recorded(zod.enum);

export { enumeration as enum };
export const iso = { datetime: /* @__PURE__ */ recorded(zod.iso.datetime) };
export const NEVER = zod.NEVER;

/** A schema that is built when a value is first parsed with it: for the elements of a list that is usually empty. */
export function lazy<S extends zod.ZodType>(schema: () => S): zod.ZodLazy<S> {
  return zod.lazy(() => built(schema()));
}

/** The JSON schema of a schema. */
export function toJSONSchema(schema: zod.ZodType, options: zod.core.ToJSONSchemaParams) {
  return zod.toJSONSchema(built(schema), options);
}
