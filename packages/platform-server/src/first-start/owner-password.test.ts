import { afterEach, describe, expect, it } from 'vitest'
import { ensureFirstStart } from './first-start.ts'
import { ensureOwnerPassword, resetOwnerPassword } from './owner-password.ts'
import { findSignInUser, setPassword } from '../records/users.ts'
import { insertSession } from '../records/sessions.ts'
import { createPasswords } from '../sessions/passwords.ts'
import type { Store } from '../store/open-store.ts'
import { type TemporaryDatabase, backends } from '../testing/temporary-store.ts'
import { protocols } from '../testing/protocols.ts'

const email = 'owner@fairlead.invalid'
const development = { origin: 'development' } as const
const production = { origin: 'first-start' } as const

describe.each(backends)("the owner's first password on $name", { timeout: 60_000 }, ({ create }) => {
  const passwords = createPasswords()
  let database: TemporaryDatabase
  afterEach(() => database.remove())

  async function emptyStore(): Promise<Store> {
    database = await create()
    const store = await database.open()
    await ensureFirstStart(store, { protocols, upstreams: { evm: 'devnet' } })
    return store
  }
  const isAccepted = async ({ db }: Store, password: string) =>
    passwords.matches((await findSignInUser(db, email))?.passwordHash, password)
  const mustChange = async ({ db }: Store) =>
    (await db.selectFrom('users').select('must_change_password').executeTakeFirstOrThrow())
      .must_change_password

  it('is printed once in production and must be changed, whichever process starts first', async () => {
    const store = await emptyStore()
    const starts = await Promise.all([1, 2, 3].map(() => ensureOwnerPassword(store, passwords, production)))
    const [created, ...duplicates] = starts.filter((start) => start !== undefined)
    expect(duplicates).toEqual([])
    expect(created?.email).toBe(email)
    expect(created?.password).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/)
    expect(await isAccepted(store, created?.password ?? '')).toBe(true)
    expect(await mustChange(store)).toBe(true)
    expect(await ensureOwnerPassword(store, passwords, production)).toBeUndefined()
    expect(await ensureOwnerPassword(store, passwords, development)).toBeUndefined()
  })

  it('is reset for an owner who lost it, and ends earlier sessions', async () => {
    const store = await emptyStore()
    const replaced = await ensureOwnerPassword(store, passwords, production)
    const created = await resetOwnerPassword(store, passwords)
    expect(created.email).toBe(email)
    expect(await isAccepted(store, created.password)).toBe(true)
    expect(await isAccepted(store, replaced?.password ?? '')).toBe(false)
    expect(await mustChange(store)).toBe(true)
    const audit = await store.db.selectFrom('audit_log').select(['action', 'actor_label']).execute()
    expect(audit).toEqual([{ action: 'password.change', actor_label: 'command line' }])
  })

  it('stays the same in development while the development file has it, and need not be changed', async () => {
    const store = await emptyStore()
    const first = await ensureOwnerPassword(store, passwords, development)
    const previous = first?.password
    expect(await ensureOwnerPassword(store, passwords, { ...development, previous })).toEqual(first)
    expect(await mustChange(store)).toBe(false)
    const second = await ensureOwnerPassword(store, passwords, { ...development, previous: `${previous}x` })
    expect(second?.password).not.toBe(previous)
    expect(await isAccepted(store, previous ?? '')).toBe(false)
    expect(await isAccepted(store, second?.password ?? '')).toBe(true)
  })

  it('of the development mode is rejected in production, and so are its sessions', async () => {
    const store = await emptyStore()
    const created = await ensureOwnerPassword(store, passwords, development)
    const user = await findSignInUser(store.db, email)
    if (user === undefined) throw new Error('There is no owner.')
    const { id: userId, organizationId } = user
    await insertSession(store.db, {
      token: 't',
      userId,
      organizationId,
      ip: '::1',
      userAgent: '',
      authenticationAge: 0,
    })
    const next = await ensureOwnerPassword(store, passwords, production)
    expect(await isAccepted(store, created?.password ?? '')).toBe(false)
    expect(await isAccepted(store, next?.password ?? '')).toBe(true)
    expect(await mustChange(store)).toBe(true)
    expect(await store.db.selectFrom('sessions').select('id').execute()).toEqual([])
  })

  it('chosen by a user is not changed', async () => {
    const store = await emptyStore()
    const owner = await findSignInUser(store.db, email)
    const hash = await passwords.hash('seven bells before the fog')
    await setPassword(store.db, owner?.id ?? '', { hash, origin: 'user', mustChange: false })
    expect(await ensureOwnerPassword(store, passwords, development)).toBeUndefined()
    expect(await ensureOwnerPassword(store, passwords, production)).toBeUndefined()
    expect(await isAccepted(store, 'seven bells before the fog')).toBe(true)
  })
})
