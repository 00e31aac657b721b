import { useCallback, useEffect, useState } from 'preact/hooks'
import { asProblem, type Problem } from './problem.ts'

/** What a page reads, as far as it has come. */
export interface Query<Data> {
  /** Stays while it is read again. */
  readonly data: Data | undefined
  readonly problem: Problem | undefined
  readonly isLoading: boolean
  reload(): void
}

/**
 * Reads something when a component appears, and again when one of the inputs changes or it is asked to.
 *
 * @param load - reads it
 * @param inputs - what `load` depends on
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
