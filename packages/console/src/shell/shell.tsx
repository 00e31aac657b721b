import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { announce } from '../components/toasts.tsx'
import { bodyOf, platform } from '../platform/client.ts'
import { useSession, useSessionState } from '../platform/session.tsx'
import { asProblem } from '../platform/problem.ts'
import { Pages } from './pages.tsx'
import { navigationItemOf, navigationGroups } from './navigation-items.ts'
import { ThemeSwitch } from './theme-switch.tsx'

/** The layout of the navigation and the pages. */
export function Shell() {
  const { path } = useLocation()
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => setIsOpen(false), [path])
  return (
    <div class="shell">
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <header class="shell-side">
        <div class="shell-head">
          <a class="brand" href="/console/">
            <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" width="26" height="26" />
            Fairlead
          </a>
          <button
            type="button"
            class="button is-quiet shell-menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setIsOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'close' : 'menu'} />
            Menu
          </button>
        </div>
        <div id="menu" class={isOpen ? 'shell-menu is-open' : 'shell-menu'}>
          <Navigation path={path} />
          <Foot />
        </div>
      </header>
      <main id="content" class="shell-main" tabIndex={-1}>
        <Pages />
      </main>
    </div>
  )
}

function Navigation({ path }: { readonly path: string }) {
  const { scopes } = useSession()
  const current = navigationItemOf(path)
  return (
    <nav class="shell-navigation" aria-label="Main">
      {navigationGroups.map(({ title, items: group }) => (
        <div key={title} class="navigation-group">
          <div class="navigation-title">{title}</div>
          {group
            .filter(({ scope }) => scope === undefined || scopes.includes(scope))
            .map((item) => (
              <a
                key={item.href}
                class="navigation-link"
                href={item.href}
                aria-current={item === current ? 'page' : undefined}
              >
                <Icon name={item.icon} />
                {item.label}
              </a>
            ))}
        </div>
      ))}
      <a class="navigation-link" href="/docs/">
        <Icon name="book" />
        API reference
      </a>
    </nav>
  )
}

function Foot() {
  const session = useSession()
  const { signOut } = useSessionState()
  const { user, organization, role } = session
  const endSession = async () => {
    try {
      await bodyOf(platform.DELETE('/v1/session/'))
      signOut()
    } catch (error) {
      announce(asProblem(error).message)
    }
  }
  return (
    <div class="shell-foot">
      <div class="shell-user">
        <strong>{organization.name}</strong>
        <span class="muted" title={user.email}>
          {user.email}
        </span>
        <span class="muted">{role}</span>
      </div>
      <ThemeSwitch />
      <button type="button" class="button is-small" onClick={() => void endSession()}>
        Sign out
      </button>
    </div>
  )
}
