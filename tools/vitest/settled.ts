const stillRounds = 3

/**
 * Waits until a value that grows no longer does, as backpressure holds back what raises it: it stays the same while
 * several round trips over the same way complete one after another.
 *
 * @param value - reads the value, such as a count of messages
 * @param roundTrip - completes a call through the parties that raise the value
 * @returns the value that it has settled at
 */
export async function settled(
  value: () => number | Promise<number>,
  roundTrip: () => Promise<unknown>,
): Promise<number> {
  let before = await value()
  for (let still = 0; still < stillRounds; still++) {
    await roundTrip()
    const after = await value()
    if (after !== before) still = -1
    before = after
  }
  return before
}
