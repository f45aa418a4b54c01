/** The dashboard of a stage, as CloudWatch's JSON: health at the top, causes at the bottom. */
import { alarmsOf } from "./alarms.ts";
import { type Metric, ofFunction, ofGateway, ofService, ofTable, prices, type Stat, type Watched } from "./names.ts";
import { coldStarts, databaseByOperation, endedMetadata, errorsByOperation, latencyByOperation } from "./queries.ts";

const PERIOD_SECONDS = 300;
/** CloudWatch's width of a dashboard, in columns. */
const WIDTH = 24;

interface Widget {
  readonly type: "metric" | "log" | "text" | "alarm";
  readonly width: number;
  readonly height: number;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** How a metric is shown. */
interface Drawn {
  readonly label?: string;
  /** For metrics that only an expression uses. */
  readonly id?: string;
  readonly visible?: false;
}

/**
 * The JSON of the dashboard. `alarmArns` are those of the alarms; `tokenOperation` is the id of the operation that
 * issues tokens.
 */
export function dashboardBody(watched: Watched, alarmArns: readonly string[], tokenOperation: string): string {
  const { app, stage, region, functions } = watched;
  const services = functions.filter(({ service }) => service !== "bootstrap");

  const graph = (title: string, metrics: readonly unknown[], more: object = {}): Widget => ({
    type: "metric",
    width: 8,
    height: 6,
    properties: { title, region, view: "timeSeries", period: PERIOD_SECONDS, metrics, ...more },
  });
  const logPanel = (
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
  const each = (name: Parameters<typeof ofService>[2], stat: Stat = "Sum") =>
    services.map(({ service }) => line(ofService(watched, service, name, stat), { label: service }));
  const tokenLogs = functions.filter(({ service }) => service === "oauth2").map(({ logGroup }) => logGroup);

  const alarms = alarmsOf(watched);
  /** The value of an alarm, with the threshold that raises it. */
  const against = (title: string, name: string): Widget => {
    const alarm = alarms.find((each) => each.name === name);
    if (!alarm) throw new Error(`no alarm is called ${name}`);
    const { metrics, value, threshold, periodSeconds, isBelow = false } = alarm;
    const drawn = Object.entries(metrics).map(([id, metric]) => line(metric as Metric, { id, visible: false }));
    return graph(title, [...drawn, expression(value, title)], {
      period: periodSeconds,
      yAxis: { left: { min: 0 } },
      annotations: {
        horizontal: [{ label: `alarm ${name}`, value: threshold, color: "#d13212", fill: isBelow ? "below" : "above" }],
      },
    });
  };

  /** Whether it works for a client, how fast each step is, and how long client certificates will be accepted. */
  const checkRow = (): readonly Widget[] => {
    const check = against("The check of every minute: 1 is well", "CheckFails");
    const steps = graph("Steps of the check, ms", [
      line(ofService(watched, "canary", "TokenDuration", "Maximum"), { label: "token" }),
      line(ofService(watched, "canary", "WriteDuration", "Maximum"), { label: "write" }),
      line(ofService(watched, "canary", "ReadDuration", "Maximum"), { label: "read" }),
    ]);
    return alarms.some(({ name }) => name === "ClientAuthorityExpires")
      ? [check, steps, against("Days until an authority of clients expires", "ClientAuthorityExpires")]
      : [check, { ...steps, width: WIDTH - check.width }];
  };

  return JSON.stringify({
    widgets: placed([
      {
        type: "text",
        width: WIDTH,
        height: 2,
        properties: {
          markdown: `# ${app}, ${stage}\nAll green in the first row: it is well. The rows below it show the values behind the alarms, with their thresholds; then latency, cost, and where a problem is. What to do: docs/alarms.md.`,
        },
      },
      { type: "alarm", width: WIDTH, height: 4, properties: { title: "Alarms", alarms: alarmArns } },

      ...(watched.isChecked ? checkRow() : []),

      against("Server errors, % of requests", "ServerErrors"),
      against("p99 of requests, ms", "SlowAnswers"),
      against("Refused requests, %", "Refusals"),

      against("Failed sign-ins", "SignInFailures"),
      against("Calls that the table throttled", "TableThrottles"),
      against("Functions that crashed", "FunctionCrashes"),

      against("How long changes wait, ms", "FeedFallsBehind"),
      against("Changes that were not delivered", "UndeliveredChanges"),
      graph(
        "Calls by the stream of the table",
        watched.followers.flatMap((one) => [
          line(ofFunction(one, "Invocations"), { label: one.follower }),
          line(ofFunction(one, "Errors"), { label: `${one.follower}, failed` }),
        ]),
      ),

      graph("Latency at the gateway, ms", [
        line(ofGateway(watched, "Latency", "p50"), { label: "p50" }),
        line(ofGateway(watched, "Latency", "p99"), { label: "p99" }),
        line(ofGateway(watched, "IntegrationLatency", "p99"), { label: "p99 of functions" }),
      ]),
      graph("p50 by service, ms", each("Duration", "p50")),
      graph("p99 by service, ms", each("Duration", "p99")),

      graph("Cost of a million requests, USD", costMetrics(watched), { stacked: true, period: 3_600 }),
      graph("Capacity of the table, units", [
        line(ofTable(watched, "ConsumedReadCapacityUnits"), { label: "read" }),
        line(ofTable(watched, "ConsumedWriteCapacityUnits"), { label: "write" }),
      ]),
      graph("Read units by service", each("ReadUnits"), { stacked: true }),

      graph("Requests by service", each("Requests"), { stacked: true }),
      graph("Server errors by service", [
        ...each("ServerErrors"),
        line(ofService(watched, "scim1", "DirectoryUndoFailures"), { label: "scim1, directory users half changed" }),
        line(ofService(watched, "scim2", "DirectoryUndoFailures"), { label: "scim2, directory users half changed" }),
        line(ofService(watched, "sign-in", "DirectoryUndoFailures"), {
          label: "sign-in, directory users half changed",
        }),
        line(ofService(watched, "account", "DirectoryUndoFailures"), {
          label: "account, directory users half changed",
        }),
      ]),
      graph("Responses of the gateway", [
        line(ofGateway(watched, "Count"), { label: "requests" }),
        line(ofGateway(watched, "4xx"), { label: "4xx" }),
        line(ofGateway(watched, "5xx"), { label: "5xx" }),
      ]),

      graph("Failed sign-ins and locked names", [
        line(ofService(watched, "authorizer", "SignInFailures"), { label: "failed" }),
        line(ofService(watched, "oauth2", "SignInFailures"), { label: "failed, for a token" }),
        line(ofService(watched, "sign-in", "SignInFailures"), { label: "failed, on a page" }),
        line(ofService(watched, "authorizer", "LockedSignIns"), { label: "on a locked name" }),
        line(ofService(watched, "oauth2", "LockedSignIns"), { label: "on a locked name, for a token" }),
        line(ofService(watched, "sign-in", "LockedSignIns"), { label: "on a locked name, on a page" }),
        line(ofService(watched, "authorizer", "Refusals"), { label: "all refusals" }),
      ]),
      graph("Throttles", [
        ...functions.map((one, index) =>
          line(ofFunction(one, "Throttles"), { id: `throttles${index}`, visible: false }),
        ),
        expression('SUM(METRICS("throttles"))', "functions"),
        line(ofTable(watched, "ReadThrottleEvents"), { label: "table reads" }),
        line(ofTable(watched, "WriteThrottleEvents"), { label: "table writes" }),
        line(ofTable(watched, "TransactionConflict"), { label: "conflicts, retried" }),
      ]),
      graph(
        "Concurrent executions",
        functions.map((one) => line(ofFunction(one, "ConcurrentExecutions", "Maximum"), { label: one.service })),
      ),

      logPanel("Errors by operation", logs, errorsByOperation),
      logPanel("Latency by operation, ms", logs, latencyByOperation),
      logPanel("Round trips and units by operation", logs, databaseByOperation),
      logPanel("Cold starts, ms", logs, coldStarts),
      logPanel(
        "Tokens issued per five minutes",
        tokenLogs,
        `filter operation = "${tokenOperation}" and status = "200" | stats count(*) as tokens by bin(5m)`,
        "timeSeries",
      ),
      logPanel("Sign-ins by SAML metadata that has ended", logs, endedMetadata),
    ]),
  });
}

/** Places widgets from left to right, in rows. */
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

/** The cost of a million requests, computed from the usage. A function without calls has no value and adds nothing. */
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
