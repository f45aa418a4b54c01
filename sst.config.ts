/// <reference path="./.sst/platform/config.d.ts" />

/** What `sst deploy` puts on AWS: stacks/ says it, docs/operations.md how to do it. */
export default $config({
  async app({ stage }) {
    const { appOf } = await import("./stacks/stage.ts");
    return appOf(stage);
  },
  async run() {
    const { deploy } = await import("./stacks/index.ts");
    return deploy();
  },
});
