import { randomInt } from 'node:crypto'

/** Prefix of ids by kind of record. */
export const idPrefixes = {
  organization: 'RG',
  project: 'PR',
  user: 'UR',
  node: 'ND',
  apiKey: 'AK',
  nodeCredential: 'CR',
  accessRule: 'AR',
  invitation: 'IN',
  session: 'SE',
  auditEntry: 'AU',
  webhook: 'WH',
  webhookDelivery: 'WD',
  webhookEvent: 'WE',
} as const

/** A kind of record that has ids. */
export type RecordKind = keyof typeof idPrefixes

/** Creates a random id such as `PR-402-118-937`. Each kind has 10^9 ids, so the id may already be in use. */
export function randomRecordId(kind: RecordKind): string {
  const groups = Array.from({ length: 3 }, () => String(randomInt(1000)).padStart(3, '0'))
  return [idPrefixes[kind], ...groups].join('-')
}

/**
 * Inserts a row under a new id. `insert` must change nothing and return undefined when the id, or another random value
 * that it creates, is in use (`on conflict do nothing`); it is then called again with another id.
 */
export async function insertWithId<row>(
  kind: RecordKind,
  insert: (id: string) => Promise<row | undefined>,
  newId: (kind: RecordKind) => string = randomRecordId,
): Promise<row> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const row = await insert(newId(kind))
    if (row !== undefined) return row
  }
  throw new Error(`No free ${idPrefixes[kind]} id was found in 50 attempts.`)
}
