# In docs/clients/ruby.md:
# config/initializers/structure.rb, if that role loads structure.sql: COMMENT ON EXTENSION is for superusers
ActiveRecord::Tasks::DatabaseTasks.structure_dump_flags = ['--no-comments']
# End.
