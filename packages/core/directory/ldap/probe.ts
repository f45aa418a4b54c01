/** Finds out whether the service can sign in to a directory. */
import { Fault } from "../../kernel/faults.ts";
import { clientsOf } from "./clients.ts";
import type { DirectorySettings } from "./model.ts";

/** Opens a connection of its own, binds it as the service does, and closes it. `password` is that of `bindDn`. */
export async function canConnect(settings: DirectorySettings, password: string): Promise<boolean> {
  const { connect, close } = clientsOf(settings, password);
  try {
    close(await connect());
    return true;
  } catch (error) {
    if (error instanceof Fault && error.fault === "service.unavailable") return false;
    throw error;
  }
}
