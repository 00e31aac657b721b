import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { DevnetError } from '../runtime/devnet-error.ts'

const packages: Readonly<Record<string, string>> = {
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'win32-x64': '@foundry-rs/anvil-win32-amd64',
}

/**
 * Finds the executable of the EVM engine that npm installed for this platform.
 *
 * It does not use the launcher of the engine: the launcher would add one more process between this one and the engine,
 * and it falls back to a download that only runs in an install script.
 *
 * @param platform Operating system, as Node.js names it.
 * @param architecture Processor architecture, as Node.js names it.
 * @returns Absolute path of the executable.
 * @throws {@link DevnetError} `DEVNET_ENGINE_UNAVAILABLE` when it is not installed.
 */
export function findAnvil(platform: string = process.platform, architecture: string = process.arch): string {
  const name = packages[`${platform}-${architecture}`]
  if (name === undefined) {
    throw new DevnetError(
      'DEVNET_ENGINE_UNAVAILABLE',
      `The EVM engine (anvil) is not published for ${platform}-${architecture}, only for ${Object.keys(packages).join(', ')}. Build anvil and pass its path as anvilPath.`,
    )
  }
  const program = `${name}/bin/${platform === 'win32' ? 'anvil.exe' : 'anvil'}`
  try {
    // The platform packages are dependencies of the engine's package, not of this one.
    const require = createRequire(import.meta.url)
    const path = createRequire(require.resolve('@foundry-rs/anvil/package.json')).resolve(program)
    if (existsSync(path)) return path
  } catch {
    // Not installed: the message below says so.
  }
  throw new DevnetError(
    'DEVNET_ENGINE_UNAVAILABLE',
    `The EVM engine for ${platform}-${architecture} is not installed (package ${name}). Install again with optional dependencies, or pass the path of an anvil program as anvilPath.`,
  )
}
