const unchangedRounds = 3

/**
 * Waits until a growing value no longer grows because of backpressure: the value stays the same while several
 * sequential round trips complete on the same path.
 *
 * @param value - reads the value, such as a count of messages
 * @param roundTrip - completes a call through the components that increase the value
 * @returns the final value
 */
export async function settled(
  value: () => number | Promise<number>,
  roundTrip: () => Promise<unknown>,
): Promise<number> {
  let before = await value()
  for (let unchanged = 0; unchanged < unchangedRounds; unchanged++) {
    await roundTrip()
    const after = await value()
    if (after !== before) unchanged = -1
    before = after
  }
  return before
}
