/**
 * Ten thousand random writes of all kinds by sixteen writers, while the database throttles, cancels, cuts and loses
 * responses and the service is killed: replaying the change records from nothing gives what the API shows, every
 * success has its record, nothing that was refused has one, and a consumer of the feed that crashes at random sees
 * every record, in the order of each resource. `WRITES` and `SEED` change the run.
 */
import { expect, test } from "vitest";
import { startConsumer } from "#tests/support/proof/consumer.ts";
import { newPool, type Sender } from "#tests/support/proof/pool.ts";
import { problemsOf, summaryOf } from "#tests/support/proof/proof.ts";
import { allRows, recordsOf } from "#tests/support/proof/table.ts";
import { writeAll } from "#tests/support/proof/writers.ts";
import { ADMIN, basic } from "#tests/support/world.ts";
import { type FaultyService, startFaultyService } from "./service.ts";
import { sweep } from "./sweep.ts";
import { PASSING_FAULTS } from "./workload.ts";

const WRITES = Number(process.env.WRITES ?? 10_000);
const SEED = Number(process.env.SEED ?? 1);
const WRITERS = 16;
const KILLS = 4;
const PATIENCE_MS = 45_000;

/** Requests wait while the service is down. A connection that ends is a reply with status 0. */
const senderTo =
  (service: FaultyService): Sender =>
  async (method, path, { body, raw, headers = {}, as }) => {
    await service.ready();
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const authorization = typeof as === "string" ? as : basic(as ?? ADMIN);
    try {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(PATIENCE_MS),
        headers: {
          ...(as !== null && { authorization }),
          ...(payload !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(payload !== undefined && { body: payload as string }),
      });
      const text = await answer.text();
      const isJson = /json/.test(answer.headers.get("content-type") ?? "");
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        body: text && isJson ? JSON.parse(text) : undefined,
      };
    } catch (error) {
      return { status: 0, headers: new Headers(), text: String(error), body: undefined };
    }
  };

test("replaying the records of all writes gives what the API shows", async () => {
  const service = await startFaultyService(SEED);
  try {
    const rows = () => allRows(service.table());
    const send = senderTo(service);
    const pool = newPool(SEED);
    const killAt = new Set(Array.from({ length: KILLS }, (_, at) => Math.floor((WRITES * (at + 1)) / (KILLS + 1))));
    const killed: Promise<void>[] = [];
    const kill = async () => {
      // A service that starts needs its database.
      const done = service.kill("service");
      service.proxy.rule(() => "none");
      await done;
      service.proxy.rule(undefined);
    };
    const consumer = startConsumer(send, { tenant: "carbon.super", prefix: "", as: undefined, seed: SEED });
    service.proxy.set(PASSING_FAULTS);
    const onWrite = (at: number) => {
      if (killAt.has(at)) killed.push(kill());
    };
    const sent = await writeAll(pool, send, { count: WRITES, writers: WRITERS, onWrite });
    await Promise.all(killed);
    service.proxy.calm();
    for (const id of pool.tenants) {
      // What a tenant that is not active has cannot be read. The only write without a record of its own here.
      const path = `/api/server/v1/tenants/${id}/lifecycle-status`;
      const { status, text, headers } = await send("PUT", path, { body: { activated: true } });
      const traceId = headers.get("x-correlation-id") ?? "";
      sent.push({ traceId, method: "PUT", path, status, text, isChange: false });
    }
    // What a kill left of large changes is carried out or removed.
    await sweep(service);
    const evidence = { rows: await rows(), sent, pool, send, output: service.log() };
    const summary = summaryOf(evidence.rows, sent);
    process.stdout.write(`${summary}; faults: ${JSON.stringify(service.proxy.counts)}\n`);
    const missed = await consumer.finish(recordsOf(evidence.rows));
    expect([...(await problemsOf(evidence)), ...missed], summary).toEqual([]);
    const share = sent.filter(({ status }) => status >= 200 && status < 300).length / sent.length;
    expect(share, summary).toBeGreaterThan(0.7);
  } finally {
    await service.close();
  }
}, 7_200_000);
