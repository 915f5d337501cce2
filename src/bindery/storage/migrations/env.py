from alembic import context

# The caller holds one transaction around all steps.
context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
