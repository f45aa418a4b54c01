/** The dashboard of a stage, as the JSON that CloudWatch takes: from "is it well" at the top to "why not" at the bottom. */
import { type Metric, ofFunction, ofGateway, ofService, ofTable, type Stat, type Watched } from "./names.ts";
import { prices } from "./prices.ts";
import { coldStarts, databaseByOperation, errorsByOperation, latencyByOperation } from "./queries.ts";

const PERIOD_SECONDS = 300;
/** A dashboard is 24 wide. */
const WIDTH = 24;

interface Widget {
  readonly type: "metric" | "log" | "text";
  readonly width: number;
  readonly height: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** How a metric is drawn. */
interface Drawn {
  readonly label?: string;
  /** Where it is only the ingredient of an expression. */
  readonly id?: string;
  readonly visible?: false;
}

/** The text of the dashboard. `tokenOperation` is the id of the operation that issues tokens. */
export function dashboardBody(watched: Watched, tokenOperation: string): string {
  const { app, stage, region, functions } = watched;
  const services = functions.filter(({ service }) => service !== "founding");

  const graph = (title: string, metrics: readonly unknown[], more: object = {}): Widget => ({
    type: "metric",
    width: 8,
    height: 6,
    properties: { title, region, view: "timeSeries", period: PERIOD_SECONDS, metrics, ...more },
  });
  const number = (title: string, metrics: readonly unknown[]): Widget => ({
    ...graph(title, metrics, { view: "singleValue", sparkline: true }),
    width: 4,
    height: 4,
  });
  const asked = (
    title: string,
    groups: readonly string[],
    query: string,
    view: "table" | "timeSeries" = "table",
  ): Widget => ({
    type: "log",
    width: 12,
    height: 7,
    properties: {
      title,
      region,
      view,
      query: [...groups.map((group) => `SOURCE '${group}'`), query].join(" | "),
    },
  });
  const logs = services.map(({ logGroup }) => logGroup);
  const each = (name: Parameters<typeof ofService>[1], stat: Stat = "Sum") =>
    services.map(({ service }) => line(ofService(service, name, stat), { label: service }));
  const tokenLogs = functions.filter(({ service }) => service === "oauth2").map(({ logGroup }) => logGroup);

  return JSON.stringify({
    widgets: placed([
      {
        type: "text",
        width: WIDTH,
        height: 2,
        properties: {
          markdown: `# ${app}, ${stage}\nIs it well: the first row. Where it is not: the rows below, from the gateway to the table. What to do: docs/operations.md.`,
        },
      },
      number("Requests", [line(ofGateway(watched, "Count"), { label: "requests" })]),
      number("5xx", [line(ofGateway(watched, "5xx"), { label: "answers" })]),
      number("p99, ms", [line(ofGateway(watched, "Latency", "p99"), { label: "latency" })]),
      number("Refusals", [line(ofService("authorizer", "Refusals"), { label: "requests" })]),
      number("Failed sign-ins", [line(ofService("authorizer", "SignInFailures"), { label: "sign-ins" })]),
      number("Crashes", [
        ...functions.map((one, index) => line(ofFunction(one, "Errors"), { id: `crashes${index}`, visible: false })),
        expression('SUM(METRICS("crashes"))', "functions"),
      ]),

      graph("Requests by surface", each("Requests"), { stacked: true }),
      graph("Server errors by surface", [
        ...each("ServerErrors"),
        line(ofService("scim1", "DirectoryUndoFailures"), { label: "scim1, directory users half changed" }),
        line(ofService("scim2", "DirectoryUndoFailures"), { label: "scim2, directory users half changed" }),
      ]),
      graph("Answers of the gateway", [
        line(ofGateway(watched, "4xx"), { label: "4xx" }),
        line(ofGateway(watched, "5xx"), { label: "5xx" }),
      ]),

      graph("Latency at the gateway, ms", [
        line(ofGateway(watched, "Latency", "p50"), { label: "p50" }),
        line(ofGateway(watched, "Latency", "p99"), { label: "p99" }),
        line(ofGateway(watched, "IntegrationLatency", "p99"), { label: "p99 of functions" }),
      ]),
      graph("p50 by surface, ms", each("Duration", "p50")),
      graph("p99 by surface, ms", each("Duration", "p99")),

      graph("Failed sign-ins and locked names", [
        line(ofService("authorizer", "SignInFailures"), { label: "failed" }),
        line(ofService("oauth2", "SignInFailures"), { label: "failed for a token" }),
        line(ofService("authorizer", "LockedSignIns"), { label: "of a locked name" }),
        line(ofService("oauth2", "LockedSignIns"), { label: "of a locked name, for a token" }),
        line(ofService("authorizer", "Refusals"), { label: "all refusals" }),
      ]),
      graph("Throttles", [
        ...functions.map((one, index) =>
          line(ofFunction(one, "Throttles"), { id: `throttles${index}`, visible: false }),
        ),
        expression('SUM(METRICS("throttles"))', "functions"),
        line(ofTable(watched, "ReadThrottleEvents"), { label: "table reads" }),
        line(ofTable(watched, "WriteThrottleEvents"), { label: "table writes" }),
        line(ofTable(watched, "TransactionConflict"), { label: "conflicts, repeated" }),
      ]),
      graph(
        "Functions at once",
        functions.map((one) => line(ofFunction(one, "ConcurrentExecutions", "Maximum"), { label: one.service })),
      ),

      graph("Capacity of the table, units", [
        line(ofTable(watched, "ConsumedReadCapacityUnits"), { label: "read" }),
        line(ofTable(watched, "ConsumedWriteCapacityUnits"), { label: "written" }),
      ]),
      graph("Read units by surface", each("ReadUnits"), { stacked: true }),
      graph("Cost of a million requests, USD", costMetrics(watched), { stacked: true, period: 3_600 }),

      asked("Errors by operation", logs, errorsByOperation),
      asked("Latency by operation, ms", logs, latencyByOperation),
      asked("Round trips and units by operation", logs, databaseByOperation),
      asked("Cold starts, ms", logs, coldStarts),
      asked(
        "Tokens issued in five minutes",
        tokenLogs,
        `filter operation = "${tokenOperation}" and status = "200" | stats count(*) as tokens by bin(5m)`,
        "timeSeries",
      ),
    ]),
  });
}

/** Puts widgets beside each other and, where a row is full, below. */
function placed(widgets: readonly Widget[]) {
  let [x, y, rowHeight] = [0, 0, 0];
  return widgets.map((widget) => {
    if (x + widget.width > WIDTH) {
      y += rowHeight;
      [x, rowHeight] = [0, 0];
    }
    const at = { ...widget, x, y };
    x += widget.width;
    rowHeight = Math.max(rowHeight, widget.height);
    return at;
  });
}

/** What a million requests cost, worked out of what was used. A function that nobody called has no value, and none is added. */
function costMetrics(watched: Watched) {
  const hidden = (id: string): Drawn => ({ id, visible: false });
  const { functions } = watched;
  const sizes = [...new Set(functions.map(({ memoryMb }) => memoryMb))];
  const compute = sizes.map((mb) => `SUM(METRICS("busy${mb}x"))*${(mb / 1_024 / 1_000) * prices.gigabyteSecond}`);
  const parts = {
    usdFunctions: `SUM([${[...compute, `SUM(METRICS("calls"))*${prices.functionCall}`].join(",")}])`,
    usdTable: `SUM([reads*${prices.readUnit},writes*${prices.writeUnit}])`,
    usdLogs: `SUM(METRICS("bytes"))*${prices.logByte}`,
    usdGateway: `requests*${prices.gatewayRequest}`,
  };
  return [
    line(ofGateway(watched, "Count"), hidden("requests")),
    line(ofTable(watched, "ConsumedReadCapacityUnits"), hidden("reads")),
    line(ofTable(watched, "ConsumedWriteCapacityUnits"), hidden("writes")),
    ...functions.flatMap((each, index) => [
      line(ofFunction(each, "Duration"), hidden(`busy${each.memoryMb}x${index}`)),
      line(ofFunction(each, "Invocations"), hidden(`calls${index}`)),
      line(
        { namespace: "AWS/Logs", name: "IncomingBytes", dimensions: { LogGroupName: each.logGroup }, stat: "Sum" },
        hidden(`bytes${index}`),
      ),
    ]),
    ...Object.entries(parts).map(([id, text]) => [{ id, expression: text, visible: false }]),
    ...Object.keys(parts).map((id) => expression(`1000000*${id}/requests`, id.slice("usd".length).toLowerCase())),
  ];
}

function line({ namespace, name, dimensions, stat }: Metric, drawn: Drawn = {}) {
  return [namespace, name, ...Object.entries(dimensions).flat(), { stat, ...drawn }];
}

function expression(text: string, label: string) {
  return [{ expression: text, label }];
}
