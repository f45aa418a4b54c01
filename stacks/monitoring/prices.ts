/**
 * AWS's list prices for us-east-1 on demand, in US dollars (docs/scaling.md). Other regions differ by up to a third:
 * change them for your own figures.
 */
export const prices = {
  /** One function of 1 GB running on arm64 for one second. */
  gigabyteSecond: 0.0000133334,
  functionCall: 0.2 / 1_000_000,
  gatewayRequest: 1 / 1_000_000,
  readUnit: 0.125 / 1_000_000,
  writeUnit: 0.625 / 1_000_000,
  logByte: 0.5 / 1_073_741_824,
} as const;
