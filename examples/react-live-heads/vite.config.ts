import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const { NODE_URL = '', NODE_TOKEN = '' } = process.env

export default defineConfig({
  plugins: [react()],
  // In your own project, the packages come from npm, and this line is not needed.
  resolve: { conditions: ['@fairlead/source', 'module', 'browser', 'development|production'] },
  // Inserted into the page, where anyone who opens it can read the token.
  define: { NODE_URL: JSON.stringify(NODE_URL), NODE_TOKEN: JSON.stringify(NODE_TOKEN) },
  server: { host: '127.0.0.1' },
})
