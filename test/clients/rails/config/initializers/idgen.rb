# In docs/clients/ruby.md:
# config/initializers/idgen.rb
require 'active_record/connection_adapters/postgresql_adapter'

module IdgenTypes
  NAMES = %i[id64 ulid].freeze # those that your columns have
  POSTGRESQL = ActiveRecord::ConnectionAdapters::PostgreSQL

  # They are strings to Ruby. The others follow, arrays of these among them.
  def initialize_type_map(map = type_map)
    NAMES.each { |name| map.register_type(name.to_s, POSTGRESQL::OID::SpecializedString.new(name)) }
    super
  end

  # The extensions make these schemas: Rails 7.2 and later need not write them into schema.rb.
  def schema_names
    super - %w[idgen idgen_lease]
  end

  NAMES.each do |name|
    ActiveRecord::ConnectionAdapters::PostgreSQLAdapter::NATIVE_DATABASE_TYPES[name] = { name: name.to_s }
    POSTGRESQL::ColumnMethods.define_method(name) do |*columns, **options|
      columns.each { |column| self.column(column, name, **options) }
    end
  end
  ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.prepend(self)
end
# End.
