import { expectTypeOf, it } from 'vitest'
import type { platformHandlers } from './handlers.ts'
import type { Body, Handlers, OperationId, PlatformCall, Query, Success } from './platform-call.ts'

it('has exactly one handler for each operation of the contract', () => {
  expectTypeOf<ReturnType<typeof platformHandlers>>().toEqualTypeOf<Handlers>()
  expectTypeOf<keyof Handlers>().toEqualTypeOf<OperationId>()
  type Other = () => Promise<undefined>
  // @ts-expect-error a missing handler does not compile
  expectTypeOf<Omit<Handlers, 'getOrganization'>>().toExtend<Handlers>()
  // @ts-expect-error an extra handler does not compile
  expectTypeOf<Handlers & { deleteEverything: Other }>().toEqualTypeOf<Handlers>()
  // @ts-expect-error a handler whose answer breaks the contract does not compile
  expectTypeOf<Omit<Handlers, 'getOrganization'> & { getOrganization: Other }>().toExtend<Handlers>()
})

it('passes the defaults of the contract to handlers', () => {
  expectTypeOf<Query<'listProjects'>['page']>().toEqualTypeOf<number>()
  expectTypeOf<Query<'listProjects'>['order_by']>().toEqualTypeOf<
    'name' | '-name' | 'created_at' | '-created_at'
  >()
  expectTypeOf<Query<'listProjects'>['name']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Body<'createProject'>['type']>().toEqualTypeOf<'public'>()
  expectTypeOf<Body<'createProject'>['description']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<PlatformCall<'getOrganization'>['body']>().toEqualTypeOf<undefined>()
  expectTypeOf<Success<'getOrganization'>>().toEqualTypeOf<{ id: string; name: string }>()
})
