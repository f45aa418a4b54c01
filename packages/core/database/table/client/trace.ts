/** The headers by which X-Ray and OpenTelemetry follow a request from a function to DynamoDB, as the SDK sends them. */
import type { Environment } from "./access.ts";

/** What the runtime of Lambda knows of the invocation. It exists where one container serves several at a time. */
interface InvokeStore {
  getXRayTraceId?(): string | undefined;
  getTraceparent?(): string | undefined;
  getTracestate?(): string | undefined;
  getBaggage?(): string | undefined;
}

/** The headers of the present invocation. */
export function traceHeaders({ AWS_LAMBDA_FUNCTION_NAME, _X_AMZN_TRACE_ID }: Environment): Record<string, string> {
  const { awslambda } = globalThis as { readonly awslambda?: { readonly InvokeStore?: InvokeStore } };
  const store = awslambda?.InvokeStore;
  const traceId = store?.getXRayTraceId?.() ?? _X_AMZN_TRACE_ID;
  const traceparent = store?.getTraceparent?.();
  return {
    ...(AWS_LAMBDA_FUNCTION_NAME && traceId && { "x-amzn-trace-id": traceId }),
    ...(traceparent && { traceparent, ...rest(store) }),
  };
}

function rest(store: InvokeStore | undefined): Record<string, string> {
  const [tracestate, baggage] = [store?.getTracestate?.(), store?.getBaggage?.()];
  return { ...(tracestate && { tracestate }), ...(baggage && { baggage }) };
}
