/**
 * Draws different members of a list.
 *
 * @param seed - the same seed draws the same members
 */
export function drawn<member>(list: readonly member[], count: number, seed: number): readonly member[] {
  const rest = [...list]
  const next = generator(seed + 1)
  return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(next(rest.length), 1)).flat()
}

/** The Park-Miller generator: numbers below a limit, the same sequence for the same seed. */
export function generator(seed: number): (limit: number) => number {
  let state = seed % 2_147_483_647 || 1
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
}
