import type { LogFilter } from './log-filter.ts'

/** A filter in a {@link FilterTree}. */
export interface TreeFilter extends LogFilter {
  /** Positions of the filter that the tree does not check. They must be checked for each log that the tree finds. */
  readonly unchecked: readonly number[]
}

/**
 * Finds the log filters that match a log. The number of steps does not depend on the number of filters that do not
 * match.
 *
 * Position 0 is the account address of a log, positions 1 to 4 are its topics. A filter is a path from the root with
 * one branch for each of its positions: the branch of the value, or the branch of any value. A log follows at most 32
 * paths. A filter with alternatives has a path for each combination of them. If there are too many combinations, the
 * tree omits positions.
 */
export class FilterTree<filter extends TreeFilter> {
  readonly #root = new Branch<filter>()

  add(filter: filter): void {
    for (const path of pathsOf(filter)) {
      let branch = this.#root
      for (const value of path) branch = branch.childFor(value)
      branch.filters ??= new Set()
      branch.filters.add(filter)
    }
  }

  remove(filter: filter): void {
    for (const path of pathsOf(filter)) this.#root.remove(filter, path, 0)
  }

  /**
   * Returns the filters that match a log except for their unchecked positions, each once.
   *
   * @param values - account address and topics of the log, in lower case
   */
  find(values: readonly string[]): filter[] {
    const found: filter[] = []
    this.#root.find(values, 0, found)
    return found
  }
}

// Each path takes memory, and the check of an omitted position is fast.
const maxPaths = 16

/**
 * Chooses the positions that the tree checks: the account address, because there are more different addresses than
 * first topics, then topics with few alternatives while the number of paths stays within the limit.
 *
 * @returns the omitted positions, which have several values
 */
export function uncheckedPositions({ addresses, topics }: LogFilter): number[] {
  const positions = [addresses, ...topics].map((values, position) => ({ position, count: values.length }))
  const [first, ...remaining] = positions
    .filter(({ count }) => count > 0)
    .toSorted((left, right) =>
      left.position === 0 ? -1 : right.position === 0 ? 1 : left.count - right.count,
    )
  let paths = first?.count ?? 1
  const unchecked: number[] = []
  for (const { position, count } of remaining) {
    if (count === 1 || paths * count <= maxPaths) paths *= count
    else unchecked.push(position)
  }
  return unchecked
}

const any = ''

/** Returns every combination of the values of a filter, for the positions that the tree checks. */
function pathsOf({ addresses, topics, unchecked }: TreeFilter): readonly (readonly string[])[] {
  let paths: readonly (readonly string[])[] = [[]]
  for (const [position, values] of [addresses, ...topics].entries()) {
    const isAny = values.length === 0 || unchecked.includes(position)
    const branches = isAny ? [any] : values
    paths = paths.flatMap((path) => branches.map((value) => [...path, value]))
  }
  return paths
}

class Branch<filter> {
  /** Filters that end here. */
  filters: Set<filter> | undefined = undefined
  #children: Map<string, Branch<filter>> | undefined = undefined

  get #isEmpty(): boolean {
    return this.filters === undefined && this.#children === undefined
  }

  childFor(value: string): Branch<filter> {
    this.#children ??= new Map()
    const existing = this.#children.get(value)
    if (existing) return existing
    const child = new Branch<filter>()
    this.#children.set(value, child)
    return child
  }

  /** Removes a filter, and the branches on its path that are empty afterwards. */
  remove(filter: filter, path: readonly string[], position: number): void {
    const value = path[position]
    if (value === undefined) {
      this.filters?.delete(filter)
      if (this.filters?.size === 0) this.filters = undefined
      return
    }
    const child = this.#children?.get(value)
    if (child === undefined) return
    child.remove(filter, path, position + 1)
    if (!child.#isEmpty) return
    this.#children?.delete(value)
    if (this.#children?.size === 0) this.#children = undefined
  }

  find(values: readonly string[], position: number, found: filter[]): void {
    if (this.filters !== undefined) for (const filter of this.filters) found.push(filter)
    const value = values[position]
    if (value === undefined || this.#children === undefined) return
    this.#children.get(any)?.find(values, position + 1, found)
    if (value !== any) this.#children.get(value)?.find(values, position + 1, found)
  }
}
