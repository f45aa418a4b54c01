/** The alarms on the feed: how long changes wait, and those that were not delivered. */
import { type Alarm, byId } from "./alarm.ts";
import { ofFunction, ofUndelivered, type Watched } from "./names.ts";

/** Milliseconds that a change may wait for the functions that follow the table. */
const BEHIND_MS = 300_000;

/** The alarms on what follows the changes of the table (decision 0090). */
export function feedAlarms<Name>(watched: Watched<Name>): readonly Alarm<Name>[] {
  const ages = byId(
    "age",
    watched.followers.map((each) => ofFunction(each, "IteratorAge", "Maximum")),
  );
  return [
    {
      name: "FeedFallsBehind",
      problem: `Changes wait for longer than ${BEHIND_MS / 60_000} minutes before they become events.`,
      action: "Read the log of the function whose iterator age grows on the dashboard.",
      metrics: ages,
      value: `MAX(FILL([${Object.keys(ages).join(", ")}], 0))`,
      threshold: BEHIND_MS,
      periodSeconds: 60,
      of: [3, 5],
      missing: "notBreaching",
    },
    {
      name: "UndeliveredChanges",
      problem: "Changes were not delivered: they are in the queue of undelivered changes.",
      action: "Read a message of the queue: it names the function and the time. No change is lost.",
      metrics: { messages: ofUndelivered(watched) },
      value: "messages",
      threshold: 0,
      periodSeconds: 60,
      of: [1, 1],
      missing: "notBreaching",
    },
  ];
}
