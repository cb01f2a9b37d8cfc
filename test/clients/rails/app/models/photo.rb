# In docs/clients/ruby.md:
class Photo < ActiveRecord::Base
  has_many :comments

  # JSON has the ID as a string.
  def serializable_hash(options = nil)
    super.tap { |hash| hash['id'] = hash['id'].to_s if hash['id'] }
  end
end
# End.
