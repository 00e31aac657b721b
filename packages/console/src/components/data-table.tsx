import type { ComponentChildren } from 'preact'

/** A column of a table. */
export interface Column<Row> {
  /** Column heading; on a narrow screen the label in front of the value. */
  readonly label: string
  readonly kind?: 'text' | 'number' | 'actions'
  cell(row: Row): ComponentChildren
}

/** A page of a list and the navigation to other pages. */
export interface Paging {
  readonly page: number
  readonly count: number
  readonly hasNext: boolean
  /** What is counted, for example `projects`. */
  readonly unit: string
  onPageChange(page: number): void
}

/** A table, whose rows become blocks on a narrow screen. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  keyOf,
  paging,
}: {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
  readonly paging?: Paging
}) {
  // Restores the roles that the elements lose when they become blocks.
  return (
    <>
      <div class="table-frame" role="region" aria-label={`Table: ${caption}`} tabIndex={0}>
        <table class="table" role="table">
          <caption class="for-screen-readers">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map(({ label, kind }) => (
                <th key={label} role="columnheader" scope="col" class={classOf(kind)}>
                  {kind === 'actions' ? <span class="for-screen-readers">{label}</span> : label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={keyOf(row)} role="row">
                {columns.map(({ label, kind, cell }) => (
                  <td key={label} role="cell" class={classOf(kind)} data-label={label}>
                    {kind === 'actions' ? (
                      <div class="table-actions">{cell(row)}</div>
                    ) : (
                      <div>{cell(row)}</div>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {paging && <Pages {...paging} />}
    </>
  )
}

function classOf(kind: Column<never>['kind']): string | undefined {
  return kind === undefined || kind === 'text' ? undefined : `is-${kind}`
}

function Pages({ page, count, hasNext, unit, onPageChange }: Paging) {
  const isOnlyPage = page === 1 && !hasNext
  return (
    <nav class="table-foot" aria-label={`Pages of ${unit}`}>
      <span aria-live="polite">
        {count.toLocaleString()} total
        {!isOnlyPage && `, page ${page}`}
      </span>
      {!isOnlyPage && (
        <span class="row">
          <button
            type="button"
            class="button is-small"
            disabled={page === 1}
            onClick={() => onPageChange(page - 1)}
          >
            Previous
          </button>
          <button
            type="button"
            class="button is-small"
            disabled={!hasNext}
            onClick={() => onPageChange(page + 1)}
          >
            Next
          </button>
        </span>
      )}
    </nav>
  )
}
