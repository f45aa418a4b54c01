/** The signatures of webhooks, with values that other programs have computed. */
import { describe, expect, test } from "vitest";
import { signatureHeaders } from "#core/events/webhooks/signature.ts";

describe("the signature of WSO2 Identity Server", () => {
  test("is that of its own vector", () => {
    const headers = signatureHeaders({ id: "m", atMs: 0, body: '{"a":1}' }, "topsecret");
    expect(headers["x-wso2-event-signature"]).toBe(
      "sha256=bf1e6501b7fa928ec2391fea9dd90af3c9ad1b7b1ef6ff319c25940cec746bf8",
    );
  });
});

describe("the signature of Standard Webhooks", () => {
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", atMs: 1_614_265_330_000, body: '{"test": 2432232314}' };

  test("is that of the vector of its libraries, for a secret in its form", () => {
    const headers = signatureHeaders(message, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    expect(headers).toMatchObject({
      "webhook-id": message.id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test("takes any other secret as the key itself", () => {
    const [text, encoded] = ["a secret of words", Buffer.from("a secret of words").toString("base64")];
    expect(signatureHeaders(message, text)["webhook-signature"]).toBe(
      signatureHeaders(message, `whsec_${encoded}`)["webhook-signature"],
    );
  });
});
