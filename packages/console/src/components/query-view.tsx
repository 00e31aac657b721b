import type { ComponentChildren } from 'preact'
import type { Problem } from '../platform/problem.ts'
import type { Query } from '../platform/use-query.ts'

/** Shows an error with a button to retry. */
export function ProblemNotice({ problem, retry }: { readonly problem: Problem; retry?(): void }) {
  return (
    <div class="notice is-bad" role="alert">
      <div>
        {problem.message}
        {problem.requestId !== undefined && <span class="small"> Request ID: {problem.requestId}</span>}
      </div>
      {retry && (
        <button type="button" class="button is-small" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** Shows the data of a query, a placeholder while it loads, or its error. */
export function QueryView<Data>({
  query,
  lines = 5,
  children,
}: {
  readonly query: Query<Data>
  /** Height of the placeholder in lines. */
  readonly lines?: number
  children(data: Data): ComponentChildren
}) {
  if (query.problem) return <ProblemNotice problem={query.problem} retry={query.reload} />
  if (query.data === undefined) return <Skeleton lines={lines} />
  return <div aria-busy={query.isLoading}>{children(query.data)}</div>
}

/** The placeholder of loading content. */
export function Skeleton({ lines }: { readonly lines: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}
