import { useCallback, useEffect, useState } from 'preact/hooks'
import { asProblem, type Problem } from './problem.ts'

/** The state of a query. */
export interface Query<Data> {
  /** Kept during a reload. */
  readonly data: Data | undefined
  readonly problem: Problem | undefined
  readonly isLoading: boolean
  reload(): void
}

/**
 * Loads data when a component mounts, and again when one of the inputs changes or a reload is requested.
 *
 * @param load - loads the data
 * @param inputs - dependencies of `load`
 */
export function useQuery<Data>(load: () => Promise<Data>, inputs: readonly unknown[]): Query<Data> {
  const [round, setRound] = useState(0)
  const [state, setState] = useState<Omit<Query<Data>, 'reload'>>({
    data: undefined,
    problem: undefined,
    isLoading: true,
  })
  useEffect(() => {
    let isCurrent = true
    setState(({ data }) => ({ data, problem: undefined, isLoading: true }))
    load().then(
      (data) => isCurrent && setState({ data, problem: undefined, isLoading: false }),
      (error: unknown) =>
        isCurrent && setState({ data: undefined, problem: asProblem(error), isLoading: false }),
    )
    return () => {
      isCurrent = false
    }
  }, [...inputs, round])
  const reload = useCallback(() => setRound((count) => count + 1), [])
  return { ...state, reload }
}
