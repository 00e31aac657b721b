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

  async function fresh(): Promise<Store> {
    database = await create()
    const store = await database.open()
    await ensureFirstStart(store, { protocols, upstreams: { evm: 'devnet' } })
    return store
  }
  const opens = async ({ db }: Store, password: string) =>
    passwords.matches((await findSignInUser(db, email))?.passwordHash, password)
  const mustChange = async ({ db }: Store) =>
    (await db.selectFrom('users').select('must_change_password').executeTakeFirstOrThrow())
      .must_change_password

  it('is printed once in production and has to be changed, whichever process starts first', async () => {
    const store = await fresh()
    const starts = await Promise.all([1, 2, 3].map(() => ensureOwnerPassword(store, passwords, production)))
    const [made, ...others] = starts.filter((start) => start !== undefined)
    expect(others).toEqual([])
    expect(made?.email).toBe(email)
    expect(made?.password).toMatch(/^([a-z2-9]{5}-){3}[a-z2-9]{5}$/)
    expect(await opens(store, made?.password ?? '')).toBe(true)
    expect(await mustChange(store)).toBe(true)
    expect(await ensureOwnerPassword(store, passwords, production)).toBeUndefined()
    expect(await ensureOwnerPassword(store, passwords, development)).toBeUndefined()
  })

  it('is reset for an owner who has lost it, and ends earlier sessions', async () => {
    const store = await fresh()
    const lost = await ensureOwnerPassword(store, passwords, production)
    const made = await resetOwnerPassword(store, passwords)
    expect(made.email).toBe(email)
    expect(await opens(store, made.password)).toBe(true)
    expect(await opens(store, lost?.password ?? '')).toBe(false)
    expect(await mustChange(store)).toBe(true)
    const audit = await store.db.selectFrom('audit_log').select(['action', 'actor_label']).execute()
    expect(audit).toEqual([{ action: 'password.change', actor_label: 'command line' }])
  })

  it('stays the same in development as long as it is known, and may be kept', async () => {
    const store = await fresh()
    const first = await ensureOwnerPassword(store, passwords, development)
    const previous = first?.password
    expect(await ensureOwnerPassword(store, passwords, { ...development, previous })).toEqual(first)
    expect(await mustChange(store)).toBe(false)
    const second = await ensureOwnerPassword(store, passwords, { ...development, previous: `${previous}x` })
    expect(second?.password).not.toBe(previous)
    expect(await opens(store, previous ?? '')).toBe(false)
    expect(await opens(store, second?.password ?? '')).toBe(true)
  })

  it('of the development mode opens nothing in production, nor do its sessions', async () => {
    const store = await fresh()
    const made = await ensureOwnerPassword(store, passwords, development)
    const user = await findSignInUser(store.db, email)
    if (user === undefined) throw new Error('There is no owner.')
    const { id: userId, organizationId } = user
    await insertSession(store.db, { token: 't', userId, organizationId, ip: '::1', userAgent: '' })
    const next = await ensureOwnerPassword(store, passwords, production)
    expect(await opens(store, made?.password ?? '')).toBe(false)
    expect(await opens(store, next?.password ?? '')).toBe(true)
    expect(await mustChange(store)).toBe(true)
    expect(await store.db.selectFrom('sessions').select('id').execute()).toEqual([])
  })

  it('that a person has chosen is left alone', async () => {
    const store = await fresh()
    const owner = await findSignInUser(store.db, email)
    const hash = await passwords.hash('seven bells before the fog')
    await setPassword(store.db, owner?.id ?? '', { hash, origin: 'user', mustChange: false })
    expect(await ensureOwnerPassword(store, passwords, development)).toBeUndefined()
    expect(await ensureOwnerPassword(store, passwords, production)).toBeUndefined()
    expect(await opens(store, 'seven bells before the fog')).toBe(true)
  })
})
