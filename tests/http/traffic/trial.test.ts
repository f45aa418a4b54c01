/**
 * The calls of trial of a deployment, answered by the functions themselves: no answer of a service that works is taken for
 * broken, although it has no tenant of the synthetic check; and each function is noticed that cannot reach the table.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoadFunction, type RunningService, startService } from "#local/service.ts";
import { served } from "#tests/support/fake-aws.ts";
import { ADMIN } from "#tests/support/world.ts";
import { trialOf, wrongIn } from "#tools/traffic/trial.ts";
import { type FunctionName, plan } from "../../../stacks/plan.ts";

type Handler = Awaited<ReturnType<LoadFunction>>;

const handlers = new Map<string, Handler>();
const load: LoadFunction = async (name, environment) => {
  Object.assign(process.env, environment);
  const { handler } = (await import(new URL(`../../../functions/${name}.ts`, import.meta.url).href)) as {
    handler: Handler;
  };
  handlers.set(name, handler);
  return handler;
};

let service: RunningService | undefined;
beforeAll(async () => {
  const unused = { mtlsPort: undefined, dataDirectory: undefined, endpoint: undefined, deploymentFile: undefined };
  service = await startService({ ...unused, port: 0, administrator: ADMIN }, {}, load);
}, 120_000);
afterAll(() => service?.close());

const context = { awsRequestId: "trial", functionName: "trial", getRemainingTimeInMillis: () => 29_000 };
const answerOf = (name: FunctionName, event: object): Promise<unknown> => {
  const handler = handlers.get(name) as unknown as (event: object, context: object) => Promise<unknown>;
  // A handler adds members to the event, and Lambda makes a new one for each call.
  return handler(structuredClone(event), context);
};

describe("a function that works", () => {
  test.each(served)("answers its calls of trial: %s", async (name) => {
    const calls = trialOf(name);
    expect(calls.length).toBeGreaterThan(0);
    const wrong = [];
    for (const { name: call, event } of calls) wrong.push([call, wrongIn(name, await answerOf(name, event))]);
    expect(wrong.filter(([, what]) => what !== undefined)).toEqual([]);
  });
  test("is asked beyond its decision: a call with a scope is not refused as one without a credential", async () => {
    for (const name of served) {
      for (const { name: call, event } of trialOf(name)) {
        if (!JSON.stringify(event).includes('"decision":"allow"')) continue;
        const { statusCode } = (await answerOf(name, event)) as { statusCode: number };
        expect([name, call, statusCode]).not.toEqual([name, call, 401]);
      }
    }
  });
});

describe("a function that cannot reach the table", () => {
  beforeAll(async () => {
    await service?.close();
    service = undefined;
  });
  const reading = served.filter((name) => plan[name].reads !== undefined);
  test("is noticed by one of its calls at least", async () => {
    const noticed = await Promise.all(
      reading.map(async (name) => {
        const found = await Promise.all(
          trialOf(name).map(async ({ event }) => wrongIn(name, await answerOf(name, event).catch(() => undefined))),
        );
        return [name, found.some((what) => what !== undefined)] as const;
      }),
    );
    expect(noticed.filter(([, isNoticed]) => !isNoticed)).toEqual([]);
    expect(noticed.length).toBeGreaterThan(10);
  }, 120_000);
});
