import { FairleadError } from '@fairlead/core'

/** The Fairlead error that a promise rejects with. */
export async function failure(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!FairleadError.is(error)) throw new Error('expected a Fairlead error', { cause: error })
  return error
}

/** All items of an iterable. */
export async function collect<item>(source: AsyncIterable<item>): Promise<item[]> {
  const items: item[] = []
  for await (const item of source) items.push(item)
  return items
}
