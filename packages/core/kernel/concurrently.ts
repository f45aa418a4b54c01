/** Works through a list, several at a time. */

/**
 * Calls `work` for each element, up to `atOnce` at a time. After an error it begins no further one, waits for those
 * that run, and throws the first error: nothing goes on once this has ended.
 */
export async function concurrently<T>(
  list: readonly T[],
  atOnce: number,
  work: (element: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  const rest = list.values();
  const worker = async (): Promise<void> => {
    for (const element of rest) {
      if (errors.length > 0) return;
      try {
        await work(element);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, list.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
