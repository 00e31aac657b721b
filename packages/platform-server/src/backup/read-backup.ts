import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import { StoreError } from '../store/store-error.ts'
import type { BackupHead } from './write-backup.ts'

/** A part of a backup: its header, the begin of a table, or a row of the last table. */
export type BackupPart = { readonly head: BackupHead } | { readonly table: string } | { readonly row: string }

/**
 * Reads the lines of a backup, and checks that each one is a part of it and that none is missing.
 *
 * @throws StoreError `STORE_INVALID` when the lines are not a complete backup
 */
export async function* readBackup(lines: AsyncIterable<string>): AsyncGenerator<BackupPart, void, undefined> {
  let hasHead = false
  let isInTable = false
  let rows = 0
  let end: unknown
  for await (const line of lines) {
    const value = parseJson(line)
    if (end !== undefined || !isRecord(value)) throw incompleteBackup()
    if (!hasHead) {
      hasHead = true
      yield { head: headOf(value) }
    } else if (isMark(line, 'table')) {
      isInTable = true
      yield { table: String(value['table']) }
    } else if (isMark(line, 'end')) {
      end = value['rows']
    } else {
      if (!isInTable) throw incompleteBackup()
      rows += 1
      yield { row: line }
    }
  }
  if (end !== rows) throw incompleteBackup()
}

/** The error for a backup that lacks a part, or has a damaged one. */
export function incompleteBackup(): StoreError {
  return new StoreError('STORE_INVALID', 'The backup is incomplete.')
}

// Only the lines between the rows start like this: no table has a column of these names.
function isMark(line: string, name: 'table' | 'end'): boolean {
  return line.startsWith(`{"${name}":`)
}

function headOf(value: Readonly<Record<string, unknown>>): BackupHead {
  const { format, version, migrations } = value as Partial<BackupHead>
  if (format === 'fairlead-backup' && version === 1 && Array.isArray(migrations))
    return value as unknown as BackupHead
  throw new StoreError('STORE_INVALID', 'The file is not a Fairlead backup.')
}
