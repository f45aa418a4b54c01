/** Puts events on a bus of Amazon EventBridge. The only module that calls it. */
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import type { BusEvent } from "./event.ts";

/** Puts events that fit into one request. Returns for each of them why it was not accepted; throws for the request. */
export type PutEvents = (events: readonly BusEvent[]) => Promise<(string | undefined)[]>;

const CONNECT_MS = 1_000;
const REQUEST_MS = 5_000;

/** Opens a bus for one container. */
export function openBus(name: string): PutEvents {
  const client = new EventBridgeClient({
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
  });
  return async (events) => {
    const Entries = events.map((event) => ({ ...event, EventBusName: name }));
    const { Entries: results = [] } = await client.send(new PutEventsCommand({ Entries }));
    return events.map((_, at) => {
      const { EventId, ErrorCode } = results[at] ?? {};
      return EventId === undefined ? (ErrorCode ?? "no answer") : undefined;
    });
  };
}
