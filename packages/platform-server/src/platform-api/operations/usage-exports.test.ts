import { expect, it } from 'vitest'
import type { Store } from '../../store/open-store.ts'
import { PlatformError } from '../platform-error.ts'
import type { PlatformCall } from '../platform-call.ts'
import { usageOperations } from './usage.ts'

it('gives one organization two of the four database sessions for exports', async () => {
  let started = 0
  const never = new Promise<never>(() => undefined)
  const withSession: Store['withSession'] = () => {
    started += 1
    return never
  }
  const { exportNodeUsage } = usageOperations({ db: undefined as never, withSession })
  const exportOf = (organizationId: string) =>
    exportNodeUsage({
      identity: { organizationId },
      query: { granularity: 'hour', group_by: 'node', ordering: 'datetime' },
    } as PlatformCall<'exportNodeUsage'>)
  void exportOf('slow')
  void exportOf('slow')
  const third = exportOf('slow').catch((error: unknown) => error)
  expect(started).toBe(2)
  expect(await third).toBeInstanceOf(PlatformError)
  void exportOf('other')
  expect(started).toBe(3)
})
