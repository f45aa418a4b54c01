/**
 * Draws a dashboard as CloudWatch would lay it out, from its JSON: panels with their titles, series and thresholds. The
 * curves are invented. docs/dashboard.svg is such a drawing, so that one sees the dashboard before deploying.
 */

/** A panel in CloudWatch's JSON. */
interface Panel {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly unknown[])[];
    readonly query?: string;
    readonly view?: string;
    readonly stacked?: boolean;
    readonly annotations?: { readonly horizontal: readonly Limit[] };
  };
}

/** The threshold of an alarm. What is beyond it is coloured. */
interface Limit {
  readonly label: string;
  readonly value: number;
  readonly fill?: "above" | "below";
}

/** How a series is shown: the last element of a metric in CloudWatch's JSON. */
interface Shown {
  readonly label?: string;
  readonly visible?: boolean;
}

/** The place of a panel's content, in pixels. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Pixels of one column and one row. */
const COLUMN = 50;
const ROW = 30;
const GAP = 3;
const POINTS = 24;
/** So that the longest name of an alarm fits. */
const TILES_PER_ROW = 7;
/** Where a threshold is, as a share of the height from the top; a series that must stay above one is above it. */
const THRESHOLD = { above: 0.3, below: 0.8 };
const SERIES = { above: 0.15, below: 0.7 };
/** Characters of a label in a third of a panel. */
const LABEL_MOST = 21;
const COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#17becf", "#bcbd22"];

/** The SVG of a dashboard's JSON. */
export function dashboardPicture(body: string): string {
  const { widgets } = JSON.parse(body) as { readonly widgets: readonly Panel[] };
  const width = Math.max(...widgets.map((panel) => panel.x + panel.width)) * COLUMN;
  const height = Math.max(...widgets.map((panel) => panel.y + panel.height)) * ROW;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">`,
    "<title>The dashboard of a stage, with invented values</title>",
    `<rect width="${width}" height="${height}" fill="#f2f3f3"/>`,
    ...widgets.flatMap(drawn),
    "</svg>",
  ].join("\n")}\n`;
}

function drawn(panel: Panel): readonly string[] {
  const { properties } = panel;
  const frame = {
    left: panel.x * COLUMN + GAP,
    top: panel.y * ROW + GAP,
    width: panel.width * COLUMN - 2 * GAP,
    height: panel.height * ROW - 2 * GAP,
  };
  const inner = { left: frame.left + 10, top: frame.top + 28, width: frame.width - 20, height: frame.height - 62 };
  return [
    `<rect x="${frame.left}" y="${frame.top}" width="${frame.width}" height="${frame.height}" rx="3" fill="#fff"/>`,
    ...(properties.title === undefined ? [] : [text(frame.left + 10, frame.top + 18, properties.title, "#16191f", 13)]),
    ...contentOf(panel, inner),
  ];
}

function contentOf({ type, properties }: Panel, box: Box): readonly string[] {
  if (type === "text") return markdown(properties.markdown ?? "", box);
  if (type === "alarm") return alarmTiles(properties.alarms ?? [], box);
  if (type === "log") return [text(box.left, box.top + 12, "computed from the logs of the shown time", "#687078", 11)];
  return curves(properties, box);
}

function markdown(source: string, { left, top }: Box): readonly string[] {
  const [heading = "", ...rest] = source.split("\n");
  return [
    text(left, top - 6, heading.replace(/^# /, ""), "#16191f", 16),
    text(left, top + 14, rest.join(" "), "#545b64", 11),
  ];
}

/** One tile for each alarm, in rows. */
function alarmTiles(arns: readonly string[], { left, top, width }: Box): readonly string[] {
  const tile = width / TILES_PER_ROW;
  return arns.flatMap((arn, index) => {
    const x = left + (index % TILES_PER_ROW) * tile;
    const y = top + Math.floor(index / TILES_PER_ROW) * 24;
    const name = arn.replace(/^.*:alarm:[a-z-]+-(?=[A-Z])/, "");
    return [
      `<rect x="${x}" y="${y}" width="${tile - 4}" height="20" rx="2" fill="#d5e8d4" stroke="#1d8102"/>`,
      text(x + 6, y + 14, name, "#1d8102", 10),
    ];
  });
}

function curves({ metrics = [], annotations }: Panel["properties"], box: Box): readonly string[] {
  const shown = metrics.map((metric) => metric.at(-1) as Shown).filter(({ visible }) => visible !== false);
  const { left, top, width, height } = box;
  const bottom = top + height;
  const limits = annotations?.horizontal ?? [];
  const beyond = limits[0]?.fill ?? "above";
  return [
    `<path d="M${left} ${top}V${bottom}H${left + width}" fill="none" stroke="#aab7b8"/>`,
    ...shown.slice(0, COLOURS.length).map((_, index) => {
      const points = Array.from({ length: POINTS }, (_each, at) => {
        const share = limits.length > 0 ? SERIES[beyond] : 0.25 + (0.5 * index) / Math.max(1, shown.length);
        const wave = share + 0.06 * Math.sin(at * 0.9 + index * 2) + 0.04 * Math.sin(at * 2.3 + index);
        return `${round(left + (at * width) / (POINTS - 1))},${round(bottom - wave * height)}`;
      });
      return `<polyline points="${points.join(" ")}" fill="none" stroke="${COLOURS[index]}" stroke-width="1.5"/>`;
    }),
    ...limits.flatMap(({ label, value, fill = "above" }) => {
      const y = round(top + height * THRESHOLD[fill]);
      const [from, share] = fill === "above" ? [top, THRESHOLD.above] : [y, 1 - THRESHOLD.below];
      return [
        `<rect x="${left}" y="${round(from)}" width="${width}" height="${round(height * share)}" fill="#d13212" opacity="0.08"/>`,
        `<path d="M${left} ${y}h${width}" stroke="#d13212" stroke-dasharray="5 3"/>`,
        text(left + 6, fill === "above" ? y - 5 : y + 12, `${label}: ${value}`, "#d13212", 10),
      ];
    }),
    ...legend(
      shown.map(({ label }) => label ?? ""),
      { ...box, top: bottom },
    ),
  ];
}

function legend(labels: readonly string[], { left, top, width }: Box): readonly string[] {
  const perRow = labels.some((label) => label.length > LABEL_MOST) ? 2 : 3;
  return labels.slice(0, 2 * perRow).flatMap((label, index) => {
    const x = left + (index % perRow) * (width / perRow);
    const y = top + 13 + Math.floor(index / perRow) * 13;
    const name = index === 2 * perRow - 1 && labels.length > 2 * perRow ? "…" : label;
    return [
      `<rect x="${round(x)}" y="${y - 7}" width="7" height="7" fill="${COLOURS[index]}"/>`,
      text(x + 10, y, name, "#545b64", 10),
    ];
  });
}

function text(x: number, y: number, content: string, colour: string, size: number): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x="${round(x)}" y="${round(y)}" fill="${colour}" font-size="${size}">${escaped}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
