/** Reads questions: finds the operation that is meant, and the rule that decides about it. */
import { Fault } from "../../kernel/faults.ts";
import { nearest } from "../../kernel/nearest.ts";
import { nearestPathOf } from "../../kernel/operation/nearest.ts";
import type { Protections } from "../../kernel/operation/operation.ts";
import { type ReadyRule, ruleFor } from "../authentication/access-control/rules.ts";
import { anySamples } from "../authentication/access-control/samples.ts";
import { newTargets } from "../authentication/target.ts";
import type { WantedOperation } from "./question-model.ts";

/** Finds operations for one container. */
export interface OperationFinder {
  /** By its id, with any ids in its path. Throws `access.operation_unknown`. */
  byId(id: string): WantedOperation;
  /** By a request, whose path is without a tenant. Throws `access.operation_unknown`. */
  byRequest(method: string, path: string): WantedOperation;
}

/** Opens the finder of the operations of the service under the rules of deployment.toml. */
export function newOperationFinder(operations: Protections, rules: readonly ReadyRule[]): OperationFinder {
  const findTarget = newTargets(operations);
  const nearestTo = nearestPathOf(operations);
  const samples = anySamples(operations);
  const wanted = (method: string, path: string): WantedOperation => ({
    kind: "operation",
    target: findTarget({ method, path }),
    method,
    path,
    rule: ruleFor(rules, method, path),
  });
  return {
    byId(id) {
      const sample = samples.get(id);
      if (sample) return wanted(sample.method, sample.path);
      const meant = nearest(id, [...samples.keys()]);
      throw unknown(
        `No operation has the id ${id.slice(0, 100)}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
      );
    },
    byRequest(method, path) {
      const found = wanted(method.toUpperCase(), path);
      if (found.target.declared) return found;
      const meant = nearestTo(path);
      throw unknown(
        `No operation has this method and path.${meant === undefined ? "" : ` Is the path ${meant}, and the method one that it supports?`}`,
      );
    },
  };
}

function unknown(what: string): Fault {
  return new Fault(
    "access.operation_unknown",
    `${what} Name an operation by its operationId in /openapi.json, or by a request without /t/ and the tenant, such as GET /scim2/Users.`,
  );
}
